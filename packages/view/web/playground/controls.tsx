import { formatNumber, formatPercent } from "@laconic/core/text";
import type { JSX } from "preact";
import { useContext, useEffect, useId, useState } from "preact/hooks";
import { Level, levelWords, useLevelId } from "./level.ts";
import type { SessionHandle } from "./use-session.ts";
import { levelRanges, ranges, type Steering } from "./worker/settings.ts";

/** Steps that a finished run may be given. */
const moreSteps = 60;

/** Start, pause, one step, start over. */
export function RunControls({ session }: { readonly session: SessionHandle }): JSX.Element {
  const { state, send } = session;
  const { active, stopping, step, settings, device } = state;
  const isDone = step >= settings.steps;
  const isReady = device !== null && !stopping;
  const [first, last] = [state.evaluations[0], state.points.at(-1)];
  const tokens =
    first && last ? `, ${formatNumber(last.tokens)} tokens per episode (${formatNumber(first.tokens)} at first)` : "";
  return (
    <div class="run-controls" role="group" aria-label="Training">
      {isDone ? (
        <button
          class="button primary"
          type="button"
          disabled={!isReady || active || settings.steps + moreSteps > ranges.steps.max}
          onClick={() => {
            send({ type: "adjust", steps: settings.steps + moreSteps });
            send({ type: "train", steps: null });
          }}
        >
          Train {moreSteps} more steps
        </button>
      ) : active ? (
        <button class="button primary" type="button" disabled={!isReady} onClick={() => send({ type: "pause" })}>
          {stopping ? "Finishing the step" : "Pause"}
        </button>
      ) : (
        <button
          class="button primary"
          type="button"
          disabled={!isReady}
          onClick={() => send({ type: "train", steps: null })}
        >
          {step === 0 ? "Train the team" : "Go on"}
        </button>
      )}
      <button
        class="button"
        type="button"
        disabled={!isReady || active || isDone}
        onClick={() => send({ type: "train", steps: 1 })}
      >
        One step
      </button>
      <button class="button" type="button" disabled={device === null} onClick={() => send({ type: "reset", settings })}>
        Reset
      </button>
      {state.warmUp && <progress max={state.warmUp.steps} value={state.warmUp.step} aria-label="Warm start" />}
      <span class="progress soft number" role="status">
        {state.busy ??
          (state.warmUp
            ? `warm start: ${state.warmUp.step} of ${state.warmUp.steps}, error ${formatNumber(state.warmUp.loss)}`
            : `step ${step} of ${settings.steps}${tokens}`)}
      </span>
    </div>
  );
}

/** What a token costs: a slider for the budget, or for the price itself. */
export function SteeringControls({ session }: { readonly session: SessionHandle }): JSX.Element {
  const id = useLevelId();
  const level = useContext(Level);
  const { targetTokens: budgets, price: prices } = levelRanges[level];
  const { state, send } = session;
  const taken = JSON.stringify(state.settings.steering);
  const [asked, setAsked] = useState<Steering | null>(null);
  // What was asked for is shown at once; the training takes it between two steps.
  useEffect(() => setAsked(null), [taken]);
  const steering = asked ?? state.settings.steering;
  const isBudget = steering.kind === "budget";
  const adjust = (next: Steering): void => {
    setAsked(JSON.stringify(next) === taken ? null : next);
    send({ type: "adjust", steering: next });
  };
  const price = state.points.at(-1)?.price ?? 0;
  return (
    <fieldset class="steering" disabled={state.device === null}>
      <legend>What does a token cost?</legend>
      <label class="choice">
        <input
          type="radio"
          name={id("steering")}
          checked={isBudget}
          onChange={() => adjust({ kind: "budget", targetTokens: budgets.first })}
        />
        As much as it takes to keep a budget
      </label>
      <label class="choice">
        <input
          type="radio"
          name={id("steering")}
          checked={!isBudget}
          onChange={() => adjust({ kind: "price", price: Number(price.toFixed(3)) })}
        />
        Always the same
      </label>
      {steering.kind === "budget" ? (
        <Slider
          label="Budget"
          value={steering.targetTokens}
          range={budgets}
          shown={(value) => `${value} tokens per episode`}
          onChange={(targetTokens) => adjust({ kind: "budget", targetTokens })}
        />
      ) : (
        <Slider
          label="Price of a token"
          value={steering.price}
          range={prices}
          shown={(value) => `${formatPercent(value)} of a right answer`}
          onChange={(value) => adjust({ kind: "price", price: value })}
        />
      )}
      <p class="soft small" role="status">
        {asked === null ? "" : "Applies as soon as the step that is under way has ended."}
      </p>
      <p class="soft small">
        {isBudget
          ? `The price rises while the team writes more than its budget, and falls when it writes less. ${levelWords[level].budget}`
          : "Fixed price: try 0, then a price that is too high."}
      </p>
    </fieldset>
  );
}

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly range: { readonly min: number; readonly max: number; readonly step: number };
  readonly shown: (value: number) => string;
  /** Of the value that is let go, not of those on the way. */
  readonly onChange: (value: number) => void;
}

function Slider({ label, value, range, shown, onChange }: SliderProps): JSX.Element {
  const id = useId();
  const [moving, setMoving] = useState(value);
  useEffect(() => setMoving(value), [value]);
  return (
    <div class="slider">
      <label for={id}>{label}</label>
      <output for={id} class="number">
        {shown(moving)}
      </output>
      <input
        id={id}
        type="range"
        {...range}
        value={moving}
        aria-valuetext={shown(moving)}
        onInput={({ currentTarget }) => setMoving(Number(currentTarget.value))}
        onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
      />
    </div>
  );
}
