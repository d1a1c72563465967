import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import { Level, levelWords, useLevelId } from "./level.ts";
import { ConversationView } from "./conversation-view.tsx";
import type { PageState } from "./state.ts";
import type { SessionHandle } from "./use-session.ts";

/** A question of the visitor's own, answered by the team of the beginning and of now. */
export function Ask({ session }: { readonly session: SessionHandle }): JSX.Element {
  const { state, send } = session;
  const [letters, setLetters] = useState(["k", "m", "e"]);
  const [digits, setDigits] = useState(["6", "3", "9"]);
  const [asked, setAsked] = useState<readonly [number, number]>([0, 2]);
  const [draw, setDraw] = useState(1);
  const change = (list: readonly string[], i: number, value: string): string[] =>
    list.map((each, at) => (at === i ? value : each));
  const fault = faultOf(letters, digits, asked);
  const sum = Number(digits[asked[0]]) + Number(digits[asked[1]]);
  const key = (i: number): string => letters[i] ?? "";
  return (
    <section class="panel ask" aria-labelledby="ask-title">
      <h2 id="ask-title">Ask the team</h2>
      <p>Give each holder a fact of your own. Both teams get the same question: the untrained one, and yours.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fault !== null) return;
          const facts = letters.map((letter, i) => `${letter}${digits[i]}`);
          send({ type: "ask", problem: { kind: "facts", facts, asked: [key(asked[0]), key(asked[1])] }, draw });
          setDraw(draw + 1);
        }}
      >
        <div class="facts">
          {["a", "b", "c"].map((name, i) => (
            <fieldset key={name}>
              <legend>holder-{name} knows</legend>
              <input
                class="input"
                aria-label={`Letter of holder-${name}`}
                value={letters[i]}
                maxLength={1}
                size={2}
                autocapitalize="none"
                autocomplete="off"
                spellcheck={false}
                onInput={({ currentTarget }) => setLetters(change(letters, i, currentTarget.value.toLowerCase()))}
              />
              <span aria-hidden="true">=</span>
              <input
                class="input"
                aria-label={`Digit of holder-${name}`}
                value={digits[i]}
                maxLength={1}
                size={2}
                inputMode="numeric"
                autocomplete="off"
                onInput={({ currentTarget }) => setDigits(change(digits, i, currentTarget.value))}
              />
            </fieldset>
          ))}
          <fieldset>
            <legend>the solver is asked</legend>
            {([0, 1] as const).map((place) => (
              <>
                {place === 1 && <span aria-hidden="true">+</span>}
                <select
                  class="select"
                  aria-label={place === 0 ? "First letter of the question" : "Second letter of the question"}
                  value={asked[place]}
                  onChange={({ currentTarget }) => {
                    const chosen = Number(currentTarget.value);
                    setAsked(place === 0 ? [chosen, asked[1]] : [asked[0], chosen]);
                  }}
                >
                  {letters.map((letter, i) => (
                    <option key={i} value={i}>
                      {letter === "" ? "?" : letter}
                    </option>
                  ))}
                </select>
              </>
            ))}
          </fieldset>
        </div>
        <p class="row">
          <button class="button" type="submit" disabled={fault !== null || state.device === null}>
            Ask both
          </button>
          <span class={fault === null ? "soft small" : "fault small"} role="status">
            {fault ?? `${key(asked[0])} + ${key(asked[1])} = ${sum}; a new answer each time`}
          </span>
        </p>
      </form>
      {state.asked && <BeforeAndNow {...state.asked} />}
    </section>
  );
}

function faultOf(
  letters: readonly string[],
  digits: readonly string[],
  asked: readonly [number, number],
): string | null {
  if (!letters.every((letter) => /^[a-z]$/u.test(letter))) return "A letter is one of a to z.";
  if (!digits.every((digit) => /^[0-9]$/u.test(digit))) return "A digit is one of 0 to 9.";
  if (new Set(letters).size < letters.length) return "Give each holder a letter of its own.";
  return asked[0] === asked[1] ? "Ask for two different letters." : null;
}

/** The same problem, which training never has, at the first evaluation and at the last. */
export function SameQuestion({ state }: { readonly state: PageState }): JSX.Element | null {
  const id = useLevelId();
  const [which, setWhich] = useState(0);
  const [first, last] = [state.evaluations[0], state.evaluations.at(-1)];
  const [before, now] = [first?.shown[which], last?.shown[which]];
  if (!first || !last || !before || !now || last.step === first.step) return null;
  return (
    <section class="panel" aria-labelledby={id("same-title")}>
      <h2 id={id("same-title")}>The same question, before and after</h2>
      <p class="row" role="group" aria-label="Which question">
        {first.shown.map(({ question }, i) => (
          <button key={i} class="button" type="button" aria-pressed={which === i} onClick={() => setWhich(i)}>
            {question}
          </button>
        ))}
      </p>
      <BeforeAndNow kind="trained" before={before} now={now} step={last.step} />
    </section>
  );
}

/** Two conversations side by side: before training and now, or now without and with a change. */
export function BeforeAndNow({ kind, change, before, now, step }: NonNullable<PageState["asked"]>): JSX.Element {
  const { untrained, stillUntrained } = levelWords[useContext(Level)];
  const [first, second] =
    kind === "changed"
      ? ["As you told it", `What if ${change ?? ""}`]
      : [untrained, step === 0 ? stillUntrained : `After ${step} steps`];
  const label = kind === "changed" ? "Conversation" : "Conversation before training";
  return (
    <div class="both" aria-live="polite">
      <div>
        <h3>{first}</h3>
        <ConversationView conversation={before} label={label} />
      </div>
      <div>
        <h3>{second}</h3>
        <ConversationView
          conversation={now}
          label={kind === "changed" ? "Conversation with the change" : `Conversation after ${step} steps`}
        />
      </div>
    </div>
  );
}
