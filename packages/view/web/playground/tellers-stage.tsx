import { counted } from "@laconic/core/text";
import { Panel } from "../parts/elements.tsx";
import { levelTexts } from "./level.ts";
import type { Told } from "./state.ts";
import type { Conversation } from "./worker/messages.ts";

interface TellersStageProps {
  readonly episode: Conversation;
  readonly told: readonly Told[];
  readonly step: number;
  readonly isWarmingUp: boolean;
}

const shownSteps = 60;

/** The stories are never used for training. */
export function TellersStage({ episode, told, step, isWarmingUp }: TellersStageProps) {
  const { question, gold, answer, right, turns, tokens } = episode;
  const heard = turns.at(-1)?.read ?? [];
  const title = isWarmingUp
    ? "The model learns to name owners"
    : step === 0
      ? levelTexts.tellers.before
      : `The team at step ${step}`;
  return (
    <Panel title={title} kind="stage">
      <p>
        Whose is the <b>{question}</b>?{" "}
        <span class="soft small">One story, followed through the training; it is never learned on.</span>
      </p>
      <ol class="list stack" aria-label="Tellers">
        {turns.slice(0, -1).map((turn) => (
          <Teller key={turn.agent} turn={turn} told={told} />
        ))}
      </ol>
      <p class="soft small">
        Bars: tokens of a message, one bar a step{told.length > 0 && `, n = ${counted(told.length, "step")}`}.
      </p>
      <div class="notice">
        <h3>The solver</h3>
        <p>
          <span class="soft small">hears</span> {heard.length === 0 && "nothing"}
          {heard.map(({ from, text }) => (
            <span key={from} class="safe-text read said">
              {text}
            </span>
          ))}
        </p>
        <p>
          <span class="soft small">goes on</span> Mom found the {question}. “Thank you,{" "}
          <b class="safe-text">{answer === null || answer.trim() === "" ? "…" : answer}</b>”{" "}
          <b class={`tone ${right ? "good" : "bad"}`}>{right ? "✓ right" : `✗ it is ${gold}'s`}</b>
        </p>
        <Bars
          tone="good"
          heights={told.map((each) => (each.right ? 1 : 0))}
          label={(count, steps) => `The solver was right at ${count} of ${steps} steps`}
        />
        <p class="soft small">{counted(tokens, "token")} in all</p>
      </div>
    </Panel>
  );
}

/** Steps that determine how much a teller still speaks. */
const recentSteps = 5;

function Teller({ turn, told }: { turn: Conversation["turns"][number]; told: readonly Told[] }) {
  const { agent, fact, knows = false, text, silent, tokens } = turn;
  const own = told.flatMap(({ step, turns }) =>
    turns.filter((other) => other.agent === agent).map((message) => ({ ...message, step })),
  );
  const last = own.findLast((message) => !message.silent);
  const recent = own.slice(-recentSteps);
  const speaking = recent.filter((message) => !message.silent).length / Math.max(1, recent.length);
  const most = Math.max(1, ...own.map((message) => message.tokens));
  return (
    <li class={knows ? "notice teller good" : "notice teller"}>
      <h3 class="line">
        Teller {agent}{" "}
        <span class={knows ? "badge last good" : "badge last"}>{knows ? "knows the owner" : "does not know"}</span>
      </h3>
      <p class="safe-text private tone">{fact}</p>
      <p class="line message" style={{ "--speaking": (0.35 + 0.65 * speaking).toFixed(2) }}>
        <span class="soft small">{silent ? "silent" : "says"}</span>{" "}
        {silent
          ? last && <i class="soft safe-text">{`said at step ${last.step}: “${last.text}”`}</i>
          : [
              <span key="text" class="safe-text words">
                {text}
              </span>,
              <span key="tokens" class="soft small last">
                {counted(tokens, "token")}
              </span>,
            ]}
      </p>
      <Bars
        tone={knows ? "good" : ""}
        heights={own.map((message) => (message.silent ? 0 : message.tokens / most))}
        label={(count, steps) => `Tokens of teller ${agent}, step by step: silent at ${steps - count} of ${steps}`}
      />
    </li>
  );
}

interface BarsProps {
  readonly tone: string;
  /** Values from 0 to 1. */
  readonly heights: readonly number[];
  readonly label: (count: number, steps: number) => string;
}

/** A dot means zero. */
function Bars({ tone, heights, label }: BarsProps) {
  const shown = heights.slice(-shownSteps);
  return (
    <svg
      class={`bars ${tone}`}
      viewBox={`0 0 ${shownSteps * 4} 22`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label(shown.filter((height) => height > 0).length, shown.length)}
    >
      {shown.map((height, i) => (
        <rect
          key={i}
          class={height > 0 ? "" : "none"}
          {...{ x: i * 4, width: 3, y: height > 0 ? 20 - 18 * height : 19, height: height > 0 ? 18 * height : 1.5 }}
        />
      ))}
    </svg>
  );
}
