import { randomFromSeed, type Random } from "@laconic/core";
import words from "../../assets/steps.json" with { type: "json" };

export type SentenceKind = keyof typeof words.frames;

/** Values of a sentence: people p, q, r; number n; factor w; things o, v. */
export type SentenceValues = Readonly<Partial<Record<"p" | "q" | "r" | "n" | "w" | "o" | "v", string | number>>>;

const slots: Readonly<Record<string, readonly string[]>> = words.slots;

/** Places and givers do not make another shape. */
const neutral: ReadonlySet<string> = new Set(["box", "friend"]);

const heldShare = 0.2;

/**
 * Draws a sentence. A shape is a frame with its words, such as verb and time. Training never has a fixed fifth of
 * them.
 */
export function drawSentence(kind: SentenceKind, values: SentenceValues, isNew: boolean, random: Random): string {
  for (;;) {
    const { text, shape } = fillFrame(kind, random);
    if (isHeldBack(surfaceOf(shape), heldShare) !== isNew) continue;
    return capitalised(text.replaceAll(/\{(\w)\}/gu, (_, name: keyof SentenceValues) => String(values[name])));
  }
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function fillFrame(kind: SentenceKind, random: Random): { readonly text: string; readonly shape: string } {
  let [text, shape] = Array<string>(2).fill(random.pick(words.frames[kind]));
  for (let slot = nextSlot(text); slot !== null; slot = nextSlot(text)) {
    const choice = random.pick(slots[slot]!);
    text = text?.replace(`{${slot}}`, choice);
    if (!neutral.has(slot)) shape = shape?.replace(`{${slot}}`, choice);
  }
  return { text: text!, shape: shape! };
}

/** Two kinds with the same words are one shape: people and things are named in order. */
function surfaceOf(shape: string): string {
  const names = new Map<string, number>();
  return shape.replaceAll(/\{[pqrov]\}/gu, (name) => {
    const key = /[ov]/u.test(name) ? "thing" : name;
    if (!names.has(key)) names.set(key, names.size);
    return key === "thing" ? key : `person ${names.get(key)}`;
  });
}

function nextSlot(text = ""): string | null {
  return /\{(\w{2,})\}/u.exec(text)?.[1] ?? null;
}

/** Whether a share of all keys, fixed by hash, holds this one. */
export function isHeldBack(key: string, share: number): boolean {
  return randomFromSeed(`held back: ${key}`).uniform() < share;
}
