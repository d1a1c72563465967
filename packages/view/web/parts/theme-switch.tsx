import { useEffect } from "preact/hooks";
import { storeOf, useStore, type Store } from "./store.ts";

export type Theme = "system" | "light" | "dark";

const key = "laconic-theme";
const names: Readonly<Record<Theme, string>> = { system: "Auto", light: "Light", dark: "Dark" };

/** What was chosen; kept for the next visit where the browser allows it. */
const theme: Store<Theme> = storeOf<Theme>(storedTheme());
/** Counts changes of colours, by the switch or by the system: canvases are drawn anew. */
export const paints: Store<number> = storeOf(0);

apply(theme.get());
theme.subscribe(apply);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paints.set(paints.get() + 1));

export function ThemeSwitch() {
  const chosen = useStore(theme);
  useEffect(() => {
    try {
      localStorage.setItem(key, chosen);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  }, [chosen]);
  return (
    <label class="theme-switch">
      <span class="visually-hidden">Colours</span>
      <select class="select" value={chosen} onChange={(event) => theme.set(event.currentTarget.value as Theme)}>
        {Object.entries(names).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function apply(chosen: Theme): void {
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
  paints.set(paints.get() + 1);
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}
