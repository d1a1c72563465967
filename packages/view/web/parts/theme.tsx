import { designStyle } from "@laconic/core/design";
import { storeOf, useStore } from "./store.ts";

const names = { system: "Auto", light: "Light", dark: "Dark" } as const;
type Theme = keyof typeof names;

const key = "laconic-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Selected colours, stored if the browser allows it. */
const theme = storeOf<Theme>(storedTheme());

const design = new CSSStyleSheet();
design.replaceSync(designStyle(':root[data-theme="dark"]'));
document.adoptedStyleSheets.push(design);
paint();
theme.subscribe((chosen) => {
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // Not stored; valid until the page closes.
  }
  paint();
});
dark.addEventListener("change", paint);
// Prints use the light scheme.
addEventListener("beforeprint", () => (document.documentElement.dataset["theme"] = "light"));
addEventListener("afterprint", paint);

/** Sets the scheme on the root element for the style sheet. */
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

export function ThemeSwitch() {
  return (
    <label>
      <span class="visually-hidden">Colours</span>
      <select
        class="select"
        value={useStore(theme)}
        onChange={({ currentTarget }) => theme.set(currentTarget.value as Theme)}
      >
        {Object.entries(names).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
