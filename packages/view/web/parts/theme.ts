import { designStyle } from "@laconic/core/design";
import { storeOf, type Store } from "./store.ts";

export type Theme = "system" | "light" | "dark";

const key = "laconic-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

/** What was chosen; kept for the next visit where the browser allows it. */
export const theme: Store<Theme> = storeOf<Theme>(storedTheme());
/** Counts changes of colours, by the switch, the system or a page around this one: canvases are drawn anew. */
export const paints: Store<number> = storeOf(0);

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
new MutationObserver(() => paints.set(paints.get() + 1)).observe(document.documentElement, {
  attributeFilter: ["data-theme"],
});

/** A colour or font of `@laconic/core/design` as it holds now, for canvases; they are drawn anew when {@link paints} changes. */
export function themeValue(name: `--${string}`): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

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
