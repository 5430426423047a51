// SPDX-License-Identifier: Apache-2.0
// Keys are for the terminal as soon as it shows something: nobody has to click into it first.
addEventListener("DOMContentLoaded", () => {
  const take = () => document.querySelector(".xterm-helper-textarea")?.focus();
  new MutationObserver(take).observe(document.body, { attributes: true, attributeFilter: ["class"] });
});
