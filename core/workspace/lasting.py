# SPDX-License-Identifier: Apache-2.0
"""Values that are worked out once, when some thread first asks for them."""

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Lasting:
    """An object with `once` values. Those of objects with the same lock are worked out one at a time."""

    def __init__(self, lock: threading.RLock) -> None:
        self.lock = lock

    def known(self, value: "once[T]") -> T | None:
        """A value if it has been worked out, else None. Never waits: `workspace.known(Workspace.ci)`."""
        return self.__dict__.get(value.name)

    def read(self, value: "once[T]") -> T:
        """The same, worked out if it is not known."""
        return value.__get__(self, type(self))


class once(Generic[T]):
    """A property that is worked out under the lock of its object and then belongs to that object.

    Asked by several threads at once, the first one works it out and the others wait. After an error it is worked out
    again. `cached_property` does not lock, and before Python 3.12 it locked all objects of a class at once.
    """

    def __init__(self, work: Callable[[Any], T]) -> None:
        self._work = work
        self.name = work.__name__
        self.__doc__ = work.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> "once[T]": ...
    @overload
    def __get__(self, owner: Lasting, kind: type) -> T: ...
    def __get__(self, owner: Lasting | None, kind: type) -> "once[T] | T":
        if owner is None:
            return self
        with owner.lock:
            values = owner.__dict__
            if self.name not in values:
                # Found there before this is called: a descriptor without `__set__` comes after the instance.
                values[self.name] = self._work(owner)
            found: T = values[self.name]
            return found
