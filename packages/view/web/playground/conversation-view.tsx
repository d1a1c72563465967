import { useContext } from "preact/hooks";
import { Level } from "./level.ts";
import type { Conversation } from "./worker/messages.ts";

function Verdict({ conversation: { right, answer } }: { conversation: Conversation }) {
  const text = right ? "✓ right" : answer === null ? "✗ no answer" : "✗ wrong";
  return <b class={`tone number ${right ? "good" : "bad"}`}>{text}</b>;
}

export function ConversationView({ conversation, label }: { conversation: Conversation; label: string }) {
  const { turns, question, gold, tokens } = conversation;
  const isStory = useContext(Level) === "tellers";
  // Digits are aligned, stories are shown as text.
  const font = isStory ? "" : "mono";
  return (
    <div class="conversation">
      <p class="line">
        <span>
          {isStory ? "Whose is the" : "Asked:"} <b class={font}>{question}</b>{" "}
          <span class="soft small">{isStory ? `(${gold}'s)` : `= ${gold}`}</span>
        </span>
        <Verdict conversation={conversation} />
        <span class="soft small number last">{tokens} tokens</span>
      </p>
      <ol class={`list turns ${isStory ? "long" : ""}`} aria-label={label}>
        {turns.map(({ agent, fact, knows, read, text, silent, tokens: written }) => (
          <li key={agent}>
            <b>{agent}</b>
            {fact !== null ? (
              <span class="knows">
                <span class="soft small">{knows === undefined ? "knows" : "reads"}</span>{" "}
                <span class={`safe-text private said ${font}`}>{fact}</span>
              </span>
            ) : (
              <span class="reads">
                <span class="soft small">reads</span> {read.length === 0 && "nothing"}
                {read.map((message) => (
                  <span key={message.from} class={`safe-text read said ${font}`}>
                    {message.text}
                  </span>
                ))}
              </span>
            )}
            <span class={`line writes ${silent ? "soft" : ""}`}>
              <span class="soft small">writes</span>{" "}
              {silent ? "nothing" : <span class={`safe-text wrote said ${font}`}>{text === "" ? " " : text}</span>}
              <span class="soft small number last">{written}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
