import { counted } from "@laconic/core/text";
import type { JSX } from "preact";
import { levelWords, useLevelId } from "./level.ts";
import type { Told } from "./state.ts";
import type { Conversation } from "./worker/messages.ts";

interface TellersStageProps {
  readonly episode: Conversation;
  readonly told: readonly Told[];
  readonly step: number;
  readonly isWarmingUp: boolean;
}

/** Steps whose messages are shown as bars. */
const shownSteps = 60;

/** One story of each teller, which the team never learns on, and what is said of it step by step: idle words fade to silence. */
export function TellersStage({ episode, told, step, isWarmingUp }: TellersStageProps): JSX.Element {
  const id = useLevelId();
  const { question, gold, answer, right, turns, tokens } = episode;
  const [solver, tellers] = [turns.at(-1), turns.slice(0, -1)];
  const heard = solver?.read ?? [];
  const title = isWarmingUp
    ? "The model learns to name owners"
    : step === 0
      ? levelWords.tellers.before
      : `The team at step ${step}`;
  return (
    <section class="panel stage tellers-stage" aria-labelledby={id("stage-title")}>
      <h2 id={id("stage-title")}>{title}</h2>
      <p class="question">
        Whose is the <b>{question}</b>?{" "}
        <span class="soft small">One story, followed through the training; it is never learned on.</span>
      </p>
      <ol class="tellers" aria-label="Tellers">
        {tellers.map((turn) => (
          <Teller key={turn.agent} turn={turn} told={told} />
        ))}
      </ol>
      <p class="soft small">
        Bars: tokens of a message, one bar a step{told.length > 0 && `, n = ${counted(told.length, "step")}`}.
      </p>
      <div class="solver">
        <h3>The solver</h3>
        <p>
          <span class="kind">hears</span>{" "}
          {heard.length === 0
            ? "nothing"
            : heard.map(({ from, text }) => (
                <span key={from} class="safe-text heard">
                  {text}
                </span>
              ))}
        </p>
        <p class="answer">
          <span class="kind">goes on</span> Mom found the {question}. “Thank you,{" "}
          <b class="safe-text">{answer === null || answer.trim() === "" ? "…" : answer}</b>”{" "}
          <span class={right ? "verdict good" : "verdict bad"}>{right ? "✓ right" : `✗ it is ${gold}'s`}</span>
        </p>
        <Bars label="The solver was right" told={told} heightOf={(each) => (each.right ? 1 : 0)} kind="right" />
        <p class="soft small number">{counted(tokens, "token")} in all</p>
      </div>
    </section>
  );
}

interface TellerProps {
  readonly turn: Conversation["turns"][number];
  readonly told: readonly Told[];
}

/** Messages of this many steps say how much a teller still speaks. */
const recent = 5;

function Teller({ turn, told }: TellerProps): JSX.Element {
  const { agent, fact, knows = false, text, silent, tokens } = turn;
  const mine = told.flatMap((each) =>
    each.turns.filter((other) => other.agent === agent).map((said) => ({ ...said, step: each.step })),
  );
  const last = mine.findLast((said) => !said.silent);
  const lately = mine.slice(-recent);
  const speaking = lately.filter((said) => !said.silent).length / Math.max(1, lately.length);
  const most = Math.max(1, ...mine.map((said) => said.tokens));
  return (
    <li class={knows ? "teller knows-it" : "teller"}>
      <h3>
        Teller {agent}{" "}
        <span class={knows ? "badge knows-it" : "badge"}>{knows ? "knows the owner" : "does not know"}</span>
      </h3>
      <p class="story safe-text">{fact}</p>
      <p class={silent ? "message silent" : "message"} style={{ "--speaking": (0.35 + 0.65 * speaking).toFixed(2) }}>
        {silent ? (
          <>
            <span class="kind">silent</span>
            {last && (
              <span class="faded safe-text">
                {" "}
                said at step {last.step}: “{last.text}”
              </span>
            )}
          </>
        ) : (
          <>
            <span class="kind">says</span> <span class="safe-text words">{text}</span>{" "}
            <span class="number tokens-of">{counted(tokens, "token")}</span>
          </>
        )}
      </p>
      <Bars
        label={`Tokens of teller ${agent}`}
        told={told}
        heightOf={({ turns }) => {
          const said = turns.find((other) => other.agent === agent);
          return said && !said.silent ? said.tokens / most : 0;
        }}
        kind={knows ? "knows-it" : "idle"}
      />
    </li>
  );
}

interface BarsProps {
  readonly label: string;
  readonly told: readonly Told[];
  /** From 0, for silence, to 1. */
  readonly heightOf: (each: Told) => number;
  readonly kind: string;
}

/** A bar for each step, a dot where there is nothing. */
function Bars({ label, told, heightOf, kind }: BarsProps): JSX.Element {
  const shown = told.slice(-shownSteps);
  const heights = shown.map(heightOf);
  const spoken = heights.filter((height) => height > 0).length;
  const words =
    kind === "right"
      ? `${label} at ${spoken} of ${shown.length} steps`
      : `${label}, step by step: silent at ${shown.length - spoken} of ${shown.length}`;
  return (
    <svg
      class={`bars ${kind}`}
      viewBox={`0 0 ${shownSteps * 4} 22`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words}
    >
      {heights.map((height, i) =>
        height > 0 ? (
          <rect key={shown[i]?.step} x={i * 4} y={20 - 18 * height} width={3} height={18 * height} />
        ) : (
          <rect key={shown[i]?.step} class="none" x={i * 4} y={19} width={3} height={1.5} />
        ),
      )}
    </svg>
  );
}
