import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/elements.tsx";

interface PlayerProps {
  readonly verb: "Play" | "Replay";
  readonly index: number;
  readonly last: number;
  readonly text: string;
  readonly waitMs: number;
  readonly stride?: number;
  readonly hasSteps?: boolean;
  readonly marks?: readonly number[];
  readonly show: (index: number) => void;
  readonly children?: ComponentChildren;
}

/** Restarts at the end. */
export function Player(props: PlayerProps) {
  const { verb, index, last, text, waitMs, stride = 1, hasSteps = false, marks = [], show, children } = props;
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => (index >= last ? setPlaying(false) : show(Math.min(last, index + stride))), waitMs);
    return () => clearTimeout(timer);
  }, [isPlaying, index, last]);
  const toggle = (): void => {
    if (!isPlaying && index >= last) show(0);
    setPlaying(!isPlaying);
  };
  const step = (name: string, sign: string, to: number) => (
    <Button aria-label={name} disabled={to < 0 || to > last} onClick={() => show(to)}>
      {sign}
    </Button>
  );
  return (
    <div class="toolbar player">
      <Button kind="primary" onClick={toggle}>
        {isPlaying ? "Pause" : verb}
      </Button>
      {hasSteps && step("Step before", "←", index - 1)}
      {hasSteps && step("Next step", "→", index + 1)}
      <label class="grow">
        <span>{text}</span>
        <input
          type="range"
          min={0}
          max={last}
          value={index}
          aria-valuetext={text}
          onInput={(event) => {
            setPlaying(false);
            show(Number(event.currentTarget.value));
          }}
        />
        {marks.length > 0 && (
          <span class="marks" aria-hidden="true">
            {marks.map((mark) => (
              <i key={mark} style={{ left: `${(100 * mark) / Math.max(1, last)}%` }} />
            ))}
          </span>
        )}
      </label>
      {children}
    </div>
  );
}
