import { splitTop } from "./split-top.ts";

const vector = String.raw`\\(?:mathbf|hat|vec|widehat)\s*\{?\s*(?:\\(?:mathbf)\s*\{?\s*)?\\?(i|j|k)(?:math)?\s*\}{0,2}`;
const behind = new RegExp(String.raw`^(.*?)\s*(?:\\cdot|\\,)?\s*${vector}$`, "su");

/**
 * `2\mathbf{i} - \mathbf{j}` as the coordinates `(2, -1)`; three where `k` is among them.
 * @returns null where a text is no sum of multiples of unit vectors
 */
export function unitVectors(latex: string): string | null {
  if (!new RegExp(vector, "u").test(latex)) return null;
  const coordinates = new Map<string, string>();
  const terms = splitTop(latex.trim().replaceAll("$", ""), /(?<=\S\s*)[-+]/u);
  for (const { text, separator } of terms) {
    const [, factor, name] = behind.exec(text.trim()) ?? [];
    if (factor === undefined || name === undefined || coordinates.has(name)) return null;
    const size = factor.trim() === "" ? "1" : factor.trim() === "-" ? "-1" : factor.trim();
    coordinates.set(name, separator === "-" ? `-(${size})` : size);
  }
  const axes = coordinates.has("k") ? ["i", "j", "k"] : ["i", "j"];
  return `(${axes.map((axis) => coordinates.get(axis) ?? "0").join(", ")})`;
}
