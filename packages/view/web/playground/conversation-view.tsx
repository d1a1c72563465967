import type { JSX } from "preact";
import type { Conversation, ShownTurn } from "./worker/messages.ts";

/** Who knew what, heard what and said what, turn by turn. */
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

function Turn({ turn }: { readonly turn: ShownTurn }): JSX.Element {
  const { agent, fact, heard, text, silent, tokens } = turn;
  return (
    <li>
      <span class="agent-name">{agent}</span>
      {fact !== null && (
        <span class="knows">
          <span class="kind">knows</span> <span class="said-text mono">{fact}</span>
        </span>
      )}
      {fact === null && (
        <span class="hears">
          <span class="kind">hears</span>{" "}
          {heard.length === 0
            ? "nothing"
            : heard.map((message) => (
                <span key={message.from} class="said-text mono heard">
                  {message.text}
                </span>
              ))}
        </span>
      )}
      <span class={silent ? "says silent" : "says"}>
        <span class="kind">says</span>{" "}
        {silent ? "nothing" : <span class="said-text mono">{text === "" ? " " : text}</span>}
        <span class="number tokens-of">{tokens}</span>
      </span>
    </li>
  );
}
