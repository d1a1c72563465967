import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { BeforeAndNow } from "./ask.tsx";
import { useLevelId } from "./level.ts";
import type { SessionHandle } from "./use-session.ts";

const names = ["one", "two", "three"] as const;

/** A story of the visitor's own, and what becomes of it when one thing is changed. */
export function AskTellers({ session }: { readonly session: SessionHandle }): JSX.Element {
  const id = useLevelId();
  const { state, send } = session;
  const [thing, setThing] = useState("red ball");
  const [name, setName] = useState("Ruth");
  const [texts, setTexts] = useState<readonly string[]>([
    "Tim was sad. Tim wanted a red ball.",
    "A child called Ruth played with mom. Ruth had a red ball at home.",
    "The birds sang in the big tree.",
  ]);
  const [draw, setDraw] = useState(1);
  const fault = faultOf(thing, name, texts);
  const ask = (liar?: string): void => {
    if (fault !== null) return;
    send({ type: "ask", problem: { kind: "story", thing, name, texts }, draw, ...(liar !== undefined && { liar }) });
    if (liar === undefined) setDraw(draw + 1);
  };
  const cannot = fault !== null || state.device === null;
  return (
    <section class="panel ask" aria-labelledby={id("ask-title")}>
      <h2 id={id("ask-title")}>Tell a story of your own</h2>
      <p>What each teller reads is yours, and so is the owner. What only one of them reads, the solver has to hear.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <div class="stories">
          <label>
            <span class="kind">whose is the</span>
            <input
              class="input"
              value={thing}
              maxLength={30}
              autocomplete="off"
              onInput={({ currentTarget }) => setThing(currentTarget.value)}
            />
          </label>
          <label>
            <span class="kind">the owner</span>
            <input
              class="input"
              value={name}
              maxLength={15}
              autocomplete="off"
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </label>
          {texts.map((text, i) => (
            <label key={names[i]} class="text">
              <span class="kind">teller {names[i]} reads</span>
              <textarea
                class="input"
                rows={2}
                maxLength={200}
                value={text}
                onInput={({ currentTarget }) =>
                  setTexts(texts.map((each, at) => (at === i ? currentTarget.value : each)))
                }
              />
            </label>
          ))}
        </div>
        <p class="row">
          <button class="button primary" type="submit" disabled={cannot}>
            Ask both
          </button>
          <span class={fault === null ? "soft small" : "fault small"} role="status">
            {fault ?? "The team before training, and yours; a new answer each time"}
          </span>
        </p>
      </form>
      <p class="row" role="group" aria-label="What if a teller lies">
        <span>What if one lies?</span>
        {names.map((agent) => (
          <button key={agent} class="button" type="button" disabled={cannot} onClick={() => ask(agent)}>
            Teller {agent} lies
          </button>
        ))}
      </p>
      {state.asked && <BeforeAndNow {...state.asked} />}
    </section>
  );
}

function faultOf(thing: string, name: string, texts: readonly string[]): string | null {
  if (!/^[a-z]+(?: [a-z]+)*$/u.test(thing)) return "The thing is a few small words, such as: red ball.";
  if (!/^[A-Z][a-z]{1,14}$/u.test(name)) return "The owner is one name, such as: Lily.";
  if (texts.some((text) => text.trim() === "")) return "Each teller reads something.";
  return texts.some((text) => new RegExp(`\\b${name}\\b`, "u").test(text))
    ? null
    : `No teller reads of ${name}: nobody could name the owner.`;
}
