import { formatNumber } from "@laconic/core/text";
import type { LevelName, PlaygroundDevice } from "./worker/settings.ts";

/** Seconds of the last step on each device that this browser has trained on. */
export type Speeds = Readonly<Partial<Record<PlaygroundDevice, number>>>;

const key = (level: LevelName): string => `laconic-playground-speeds-${level}`;

/** `localStorage`; a browser that refuses it throws when it is asked for. */
interface Kept {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** What earlier visits saw; nothing where the browser keeps nothing. */
export function storedSpeeds(level: LevelName, kept: () => Kept): Speeds {
  try {
    const stored = JSON.parse(kept().getItem(key(level)) ?? "{}") as Record<string, unknown>;
    const seen = (["wasm", "webgpu"] as const).flatMap((device) => {
      const seconds = stored[device];
      return typeof seconds === "number" && seconds > 0 ? [[device, seconds] as const] : [];
    });
    return Object.fromEntries(seen);
  } catch {
    return {};
  }
}

export function storeSpeeds(level: LevelName, speeds: Speeds, kept: () => Kept): void {
  try {
    kept().setItem(key(level), JSON.stringify(speeds));
  } catch {
    // They are seen again with the next step.
  }
}

/** "0.21 s a step", "38 s a step". */
export function speedInWords(seconds: number): string {
  return `${formatNumber(Number(seconds.toPrecision(2)))} s a step`;
}
