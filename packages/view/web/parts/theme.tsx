import { designStyle } from "@laconic/core/design";
import { Select } from "./elements.tsx";
import { keptStore, useStore } from "./store.ts";

const names = { system: "Auto", light: "Light", dark: "Dark" } as const;

const dark = matchMedia("(prefers-color-scheme: dark)");

/** `light`, `dark`, or other text for the system's scheme. */
const theme = keptStore("laconic-theme", "system");

const design = new CSSStyleSheet();
design.replaceSync(designStyle(':root[data-theme="dark"]'));
document.adoptedStyleSheets.push(design);
paint();
theme.subscribe(paint);
dark.addEventListener("change", paint);
addEventListener("beforeprint", () => (document.documentElement.dataset["theme"] = "light"));
addEventListener("afterprint", paint);

function paint(): void {
  const chosen = theme.get();
  const system = dark.matches ? "dark" : "light";
  document.documentElement.dataset["theme"] = chosen === "light" || chosen === "dark" ? chosen : system;
}

export function ThemeSwitch() {
  const label = <span class="visually-hidden">Colours</span>;
  return <Select {...{ label }} value={useStore(theme)} options={Object.entries(names)} onChange={theme.set} />;
}
