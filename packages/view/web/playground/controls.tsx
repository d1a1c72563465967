import { counted, formatNumber, formatPercent } from "@laconic/core/text";
import { useContext, useEffect, useId, useState } from "preact/hooks";
import { Button } from "../parts/elements.tsx";
import { Level, levelTexts } from "./level.ts";
import type { SessionHandle } from "./use-session.ts";
import type { Failure } from "./worker/messages.ts";
import { levelRanges, ranges, type Range, type Steering } from "./worker/settings.ts";

const moreSteps = 60;

export function RunControls({ session: { state, send } }: { session: SessionHandle }) {
  const { active, stopping, step, settings, device, warmUp } = state;
  const isDone = step >= settings.steps;
  const isReady = device !== null && !stopping;
  const [first, last] = [state.evaluations[0], state.points.at(-1)];
  const tokens =
    first && last
      ? `, ${formatNumber(last.tokens)} tokens per episode (${formatNumber(first.tokens)} at the start)`
      : "";
  const [name, isPossible, press] = isDone
    ? ([`Train ${moreSteps} more steps`, !active && settings.steps + moreSteps <= ranges.steps.max, extend] as const)
    : active
      ? ([stopping ? "Finishing the step" : "Pause", true, () => send({ type: "pause" })] as const)
      : ([step === 0 ? "Train the team" : "Continue", true, () => send({ type: "train", steps: null })] as const);
  function extend(): void {
    send({ type: "adjust", steps: settings.steps + moreSteps });
    send({ type: "train", steps: null });
  }
  return (
    <div class="line run-controls" role="group" aria-label="Training">
      <Button kind="primary" disabled={!isReady || !isPossible} onClick={press}>
        {name}
      </Button>
      <Button disabled={!isReady || active || isDone} onClick={() => send({ type: "train", steps: 1 })}>
        One step
      </Button>
      <Button disabled={device === null} onClick={() => send({ type: "reset", settings })}>
        Reset
      </Button>
      {warmUp && <progress max={warmUp.steps} value={warmUp.step} aria-label="Warm start" />}
      <span class="soft small last" role="status">
        {state.busy ??
          (warmUp
            ? `warm start: step ${warmUp.step} of ${warmUp.steps}, loss ${formatNumber(warmUp.loss)}`
            : `step ${step} of ${settings.steps}${tokens}`)}
      </span>
    </div>
  );
}

export function SteeringControls({ session: { state, send } }: { session: SessionHandle }) {
  const name = useId();
  const level = useContext(Level);
  const { targetTokens: budgets, price: prices } = levelRanges[level];
  const current = JSON.stringify(state.settings.steering);
  const [asked, setAsked] = useState<Steering | null>(null);
  // Shown at once; training applies it between steps.
  useEffect(() => setAsked(null), [current]);
  const steering = asked ?? state.settings.steering;
  const adjust = (next: Steering): void => {
    setAsked(JSON.stringify(next) === current ? null : next);
    send({ type: "adjust", steering: next });
  };
  const price = Number((state.points.at(-1)?.price ?? 0).toFixed(3));
  const choices: readonly (readonly [string, Steering])[] = [
    ["Set by a budget", { kind: "budget", targetTokens: budgets.first }],
    ["Fixed", { kind: "price", price }],
  ];
  return (
    <fieldset disabled={state.device === null}>
      <legend>Token price</legend>
      {choices.map(([text, choice]) => (
        <label key={text} class="line choice">
          <input type="radio" name={name} checked={steering.kind === choice.kind} onChange={() => adjust(choice)} />
          {text}
        </label>
      ))}
      {steering.kind === "budget" ? (
        <Slider
          label="Budget"
          value={steering.targetTokens}
          range={budgets}
          format={(value) => `${value} tokens per episode`}
          onChange={(targetTokens) => adjust({ kind: "budget", targetTokens })}
        />
      ) : (
        <Slider
          label="Token price"
          value={steering.price}
          range={prices}
          format={(value) => `${formatPercent(value)} of a right answer`}
          onChange={(value) => adjust({ kind: "price", price: value })}
        />
      )}
      <p class="soft small" role="status">
        {asked !== null && "The change applies after the current step."}
      </p>
      <p class="soft small">
        {steering.kind === "budget"
          ? `The price rises while the team writes more than its budget, else it falls. ${levelTexts[level].budget}`
          : "Try 0, then a high price."}
      </p>
    </fieldset>
  );
}

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly range: Range;
  readonly format: (value: number) => string;
  /** Called on release, not while dragging. */
  readonly onChange: (value: number) => void;
}

function Slider({ label, value, range, format, onChange }: SliderProps) {
  const id = useId();
  const [moving, setMoving] = useState(value);
  useEffect(() => setMoving(value), [value]);
  return (
    <div class="slider">
      <label for={id}>{label}</label> <output for={id}>{format(moving)}</output>
      <input
        id={id}
        type="range"
        {...range}
        value={moving}
        aria-valuetext={format(moving)}
        onInput={({ currentTarget }) => setMoving(Number(currentTarget.value))}
        onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
      />
    </div>
  );
}

export function Notices({ session }: { session: SessionHandle }) {
  const { failure, warnings } = session.state;
  return (
    <div class="notices" aria-live="polite">
      {failure && <FailureNotice failure={failure} session={session} />}
      {warnings.length > 0 && (
        <details class="notice warn">
          <summary class="clip">
            {counted(warnings.length, "warning")}: <span>{warnings.at(-1)}</span>
          </summary>
          <ul>
            {warnings.map((warning, i) => (
              <li key={i} class="safe-text">
                {warning}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function FailureNotice({ failure, session }: { failure: Failure; session: SessionHandle }) {
  const { replace, dismiss } = session;
  const { device, settings } = session.state;
  const lacksWasm = failure.code === "device_unavailable" && settings.device === "wasm";
  return (
    <div class="notice bad" role="alert">
      <p>{failure.message}</p>
      <p class="line">
        {device !== null && <Button onClick={dismiss}>Close</Button>}
        {device === null && <Button onClick={() => location.reload()}>Reload the page</Button>}
        {device === null && !lacksWasm && (
          <Button onClick={() => replace({ ...settings, device: "wasm" })}>Start a new run</Button>
        )}
      </p>
    </div>
  );
}
