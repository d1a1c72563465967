import { useStore } from "./store.ts";
import { theme, type Theme } from "./theme.ts";

const names: Readonly<Record<Theme, string>> = { system: "Auto", light: "Light", dark: "Dark" };

/** Chooses between the colours of the system, light and dark. */
export function ThemeSwitch() {
  const chosen = useStore(theme);
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
