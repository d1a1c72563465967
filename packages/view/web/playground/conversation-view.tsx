import type { JSX } from "preact";
import type { Conversation } from "./worker/messages.ts";

/** What each agent knew, read and wrote, turn by turn. */
export function ConversationView({ conversation, label }: ConversationViewProps): JSX.Element {
  const { turns, question, gold, answer, right, tokens } = conversation;
  return (
    <div class="conversation">
      <p class="question">
        <span>
          Asked: <b class="mono">{question}</b> <span class="soft small">= {gold}</span>
        </span>
        <span class={right ? "verdict good" : "verdict bad"}>
          {right ? "✓ right" : answer === null ? "✗ no answer" : "✗ wrong"}
        </span>
        <span class="number tokens-of">{tokens} tokens</span>
      </p>
      <ol class="turns" aria-label={label}>
        {turns.map((turn) => (
          <Turn key={turn.agent} turn={turn} />
        ))}
      </ol>
    </div>
  );
}

interface ConversationViewProps {
  readonly conversation: Conversation;
  readonly label: string;
}

function Turn({ turn }: { readonly turn: Conversation["turns"][number] }): JSX.Element {
  const { agent, fact, read, text, silent, tokens } = turn;
  return (
    <li>
      <span class="agent-name">{agent}</span>
      {fact !== null && (
        <span class="knows">
          <span class="kind">knows</span> <span class="safe-text mono">{fact}</span>
        </span>
      )}
      {fact === null && (
        <span class="reads">
          <span class="kind">reads</span>{" "}
          {read.length === 0
            ? "nothing"
            : read.map((message) => (
                <span key={message.from} class="safe-text mono read">
                  {message.text}
                </span>
              ))}
        </span>
      )}
      <span class={silent ? "writes silent" : "writes"}>
        <span class="kind">writes</span>{" "}
        {silent ? "nothing" : <span class="safe-text mono">{text === "" ? " " : text}</span>}
        <span class="number tokens-of">{tokens}</span>
      </span>
    </li>
  );
}
