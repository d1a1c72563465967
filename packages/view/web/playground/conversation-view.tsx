import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { Level } from "./level.ts";
import type { Conversation } from "./worker/messages.ts";

/** What each agent knew, read and wrote, turn by turn. */
export function ConversationView({ conversation, label }: ConversationViewProps): JSX.Element {
  const { turns, question, gold, answer, right, tokens } = conversation;
  const isStory = useContext(Level) === "tellers";
  return (
    <div class="conversation">
      <p class="question">
        <span>
          {isStory ? "Whose is the" : "Asked:"} <b class={isStory ? "" : "mono"}>{question}</b>{" "}
          <span class="soft small">{isStory ? `(${gold}'s)` : `= ${gold}`}</span>
        </span>
        <span class={right ? "verdict good" : "verdict bad"}>
          {right ? "✓ right" : answer === null ? "✗ no answer" : "✗ wrong"}
        </span>
        <span class="number tokens-of">{tokens} tokens</span>
      </p>
      <ol class={isStory ? "turns long" : "turns"} aria-label={label}>
        {turns.map((turn) => (
          <Turn key={turn.agent} turn={turn} isStory={isStory} />
        ))}
      </ol>
    </div>
  );
}

interface TurnProps {
  readonly turn: Conversation["turns"][number];
  readonly isStory: boolean;
}

interface ConversationViewProps {
  readonly conversation: Conversation;
  readonly label: string;
}

function Turn({ turn, isStory }: TurnProps): JSX.Element {
  const { agent, fact, read, text, silent, tokens } = turn;
  // Digits stand in a row, stories read as texts.
  const font = isStory ? "" : " mono";
  return (
    <li>
      <span class="agent-name">{agent}</span>
      {fact !== null && (
        <span class="knows">
          <span class="kind">{turn.knows === undefined ? "knows" : "reads"}</span>{" "}
          <span class={`safe-text${font}`}>{fact}</span>
        </span>
      )}
      {fact === null && (
        <span class="reads">
          <span class="kind">reads</span>{" "}
          {read.length === 0
            ? "nothing"
            : read.map((message) => (
                <span key={message.from} class={`safe-text${font} read`}>
                  {message.text}
                </span>
              ))}
        </span>
      )}
      <span class={silent ? "writes silent" : "writes"}>
        <span class="kind">writes</span>{" "}
        {silent ? "nothing" : <span class={`safe-text${font}`}>{text === "" ? " " : text}</span>}
        <span class="number tokens-of">{tokens}</span>
      </span>
    </li>
  );
}
