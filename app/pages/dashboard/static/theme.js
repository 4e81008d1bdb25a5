// Light, dark or as the system has it: a choice that this browser keeps.

const KEPT = "headgate-look";
const CHOICES = ["system", "light", "dark"];

/** What was chosen before; a browser that keeps nothing follows the system. */
export function readTheme() {
  try {
    const kept = localStorage.getItem(KEPT) ?? "";
    return CHOICES.includes(kept) ? kept : "system";
  } catch {
    return "system";
  }
}

/** @param {string} theme */
export function chooseTheme(theme) {
  try {
    localStorage.setItem(KEPT, theme);
  } catch {
    // The choice holds until the page is loaded again.
  }
  applyTheme(theme);
}

/** @param {string} theme */
export const nextTheme = (theme) => CHOICES[(CHOICES.indexOf(theme) + 1) % CHOICES.length];

/** @param {string} theme */
function applyTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

applyTheme(readTheme());
