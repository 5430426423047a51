# SPDX-License-Identifier: Apache-2.0
"""Find the one place where a loader makes a tensor that ignores `dtype_override`, and mend it."""

from core.triage.loader_code.edit import Edit, NoSite
from core.triage.loader_code.symptom import Symptom


def dtype_site(
    source: str, symptom: Symptom, *, cls: str = "ModelLoader", method: str = "load_inputs"
) -> Edit | NoSite:
    """`dtype=dtype_override` on the constructor of the tensor that `symptom` points to, else one guarded cast.

    An input is followed from what `method` of class `cls` returns back to where it is made: through local variables,
    literals and updates of dictionaries, branches, comprehensions, methods and functions of the same file. Without
    an input, the lines of the traceback tell, and without these what `load_model` makes. NoSite where the signature
    has no `dtype_override`, where the tensor is no floating-point one or already follows the override, and where
    several places would have to change.
    """
    raise NotImplementedError
