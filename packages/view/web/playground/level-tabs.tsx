import type { JSX } from "preact";
import { levelWords } from "./level.ts";
import { levelNames, type LevelName } from "./worker/settings.ts";

interface LevelTabsProps {
  readonly shown: LevelName;
  readonly onChoose: (level: LevelName) => void;
}

/** Which level is shown; each keeps its run. */
export function LevelTabs({ shown, onChoose }: LevelTabsProps): JSX.Element {
  return (
    <nav class="levels" aria-label="Levels">
      {levelNames.map((level) => (
        <button key={level} class="button" type="button" aria-pressed={level === shown} onClick={() => onChoose(level)}>
          {levelWords[level].tab}
        </button>
      ))}
    </nav>
  );
}
