import { designStyle } from "@laconic/core/design";
import { storeOf, type Store } from "./store.ts";

export type Theme = "system" | "light" | "dark";

const key = "laconic-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

/** What was chosen; kept for the next visit where the browser allows it. */
export const theme: Store<Theme> = storeOf<Theme>(storedTheme());

const design = new CSSStyleSheet();
design.replaceSync(designStyle(':root[data-theme="dark"]'));
document.adoptedStyleSheets.push(design);
paint();
theme.subscribe((chosen) => {
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  paint();
});
dark.addEventListener("change", paint);
// Paper is light.
addEventListener("beforeprint", () => (document.documentElement.dataset["theme"] = "light"));
addEventListener("afterprint", paint);
/** Says on the root which colours hold: the style sheet has each scheme once. */
function paint(): void {
  const chosen = theme.get();
  document.documentElement.dataset["theme"] = chosen === "system" ? (dark.matches ? "dark" : "light") : chosen;
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}
