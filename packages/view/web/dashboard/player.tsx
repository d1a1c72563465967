import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

export interface PlayerProps {
  /** What the button says while nothing plays. */
  readonly verb: "Play" | "Replay";
  /** Where it stands, from 0 to `last`. */
  readonly at: number;
  readonly last: number;
  /** Where it stands, in words. */
  readonly words: string;
  /** Of one place before the next, in milliseconds. */
  readonly waitMs: number;
  /** Places from one picture to the next, 1 by default. */
  readonly stride?: number;
  /** Buttons for one place back and on. */
  readonly hasSteps?: boolean;
  /** Places at which something happened: shown below the slider, and told elsewhere. */
  readonly marks?: readonly number[];
  readonly show: (place: number) => void;
  /** What else stands in the bar. */
  readonly children?: ComponentChildren;
}

/** A bar that plays from where it stands to the end, and from the beginning when it stands there. */
export function Player(props: PlayerProps): JSX.Element {
  const { verb, at, last, words, waitMs, stride = 1, hasSteps = false, marks = [], show, children } = props;
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => (at >= last ? setPlaying(false) : show(Math.min(last, at + stride))), waitMs);
    return () => clearTimeout(timer);
  }, [isPlaying, at, last]);
  const toggle = (): void => {
    if (!isPlaying && at >= last) show(0);
    setPlaying(!isPlaying);
  };
  const step = (name: string, sign: string, to: number): JSX.Element => (
    <button type="button" class="button" aria-label={name} disabled={to < 0 || to > last} onClick={() => show(to)}>
      {sign}
    </button>
  );
  return (
    <div class="toolbar player">
      <button type="button" class="button primary" onClick={toggle}>
        {isPlaying ? "Pause" : verb}
      </button>
      {hasSteps && step("Step before", "←", at - 1)}
      {hasSteps && step("Next step", "→", at + 1)}
      <label class="grow">
        <span>{words}</span>
        <input
          type="range"
          min={0}
          max={last}
          value={at}
          aria-valuetext={words}
          onInput={(event) => {
            setPlaying(false);
            show(Number(event.currentTarget.value));
          }}
        />
        {marks.length > 0 && (
          <span class="marks" aria-hidden="true">
            {marks.map((place) => (
              <i key={place} style={{ left: `${(100 * place) / Math.max(1, last)}%` }} />
            ))}
          </span>
        )}
      </label>
      {children}
    </div>
  );
}
