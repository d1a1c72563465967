import { counted } from "@laconic/core/text";
import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { Button, Panel } from "../parts/elements.tsx";
import { ConversationView } from "./stage.tsx";
import { Level, levelTexts } from "./level.ts";
import type { PageState } from "./state.ts";
import type { SessionHandle } from "./use-session.ts";
import type { OwnProblem } from "./worker/messages.ts";
import { faultOf, maxCharacters } from "./worker/own-problem.ts";

interface AskFormProps {
  readonly session: SessionHandle;
  readonly title: string;
  readonly about: string;
  readonly problem: OwnProblem;
  readonly note: string;
  readonly children: ComponentChildren;
}

function AskForm({ session, title, about, problem, note, children }: AskFormProps) {
  const { state, send } = session;
  const [draw, setDraw] = useState(1);
  const fault = faultOf(problem);
  return (
    <Panel title={title} kind="ask">
      <p>{about}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fault !== null) return;
          send({ type: "ask", problem, draw });
          setDraw(draw + 1);
        }}
      >
        {children}
        <p class="line">
          <Button type="submit" kind="primary" disabled={fault !== null || state.device === null}>
            Ask both teams
          </Button>
          <span class={fault === null ? "soft small" : "bad tone small"} role="status">
            {fault ?? `${note}; answers are random samples`}
          </span>
        </p>
      </form>
      {state.asked && <BeforeAndNow {...state.asked} />}
    </Panel>
  );
}

const replaced = <T,>(list: readonly T[], index: number, value: T): readonly T[] =>
  list.map((item, i) => (i === index ? value : item));

const character = {
  class: "input",
  maxLength: 1,
  autocapitalize: "none",
  autocomplete: "off",
  spellcheck: false,
} as const;

export function AskRelay({ session }: { session: SessionHandle }) {
  const [letters, setLetters] = useState<readonly string[]>(["k", "m", "e"]);
  const [digits, setDigits] = useState<readonly string[]>(["6", "3", "9"]);
  const [asked, setAsked] = useState<readonly number[]>([0, 2]);
  const [first = 0, second = 0] = asked;
  const key = (i: number): string => letters[i] ?? "";
  return (
    <AskForm
      session={session}
      title="Ask the team"
      about="Choose the holders' facts. The untrained and the trained team get the same question."
      problem={{
        kind: "facts",
        facts: letters.map((letter, i) => `${letter}${digits[i]}`),
        asked: [key(first), key(second)],
      }}
      note={`${key(first)} + ${key(second)} = ${Number(digits[first]) + Number(digits[second])}`}
    >
      <div class="facts">
        {["a", "b", "c"].map((name, i) => (
          <fieldset key={name}>
            <legend>Fact of holder-{name}</legend>
            <input
              {...character}
              aria-label={`Letter of holder-${name}`}
              value={letters[i]}
              onInput={({ currentTarget }) => setLetters(replaced(letters, i, currentTarget.value.toLowerCase()))}
            />{" "}
            <span aria-hidden="true">=</span>{" "}
            <input
              {...character}
              aria-label={`Digit of holder-${name}`}
              value={digits[i]}
              inputMode="numeric"
              onInput={({ currentTarget }) => setDigits(replaced(digits, i, currentTarget.value))}
            />
          </fieldset>
        ))}
        <fieldset>
          <legend>Question</legend>
          {["First", "Second"].map((name, position) => (
            <>
              {position === 1 && <span aria-hidden="true"> + </span>}
              <select
                class="select"
                aria-label={`${name} letter of the question`}
                value={asked[position]}
                onChange={({ currentTarget }) => setAsked(replaced(asked, position, Number(currentTarget.value)))}
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
    </AskForm>
  );
}

const tellers = ["one", "two", "three"] as const;

export function AskTellers({ session }: { session: SessionHandle }) {
  const [thing, setThing] = useState("red ball");
  const [name, setName] = useState("Ruth");
  const [texts, setTexts] = useState<readonly string[]>([
    "Tim was sad. Tim wanted a red ball.",
    "A child called Ruth played with mom. Ruth had a red ball at home.",
    "The birds sang in the big tree.",
  ]);
  const fields = [
    ["Thing", thing, setThing, maxCharacters.thing],
    ["Owner", name, setName, maxCharacters.name],
  ] as const;
  return (
    <AskForm
      session={session}
      title="Your own story"
      about="Write the tellers' texts and the owner's name. The solver reads only the tellers' messages."
      problem={{ kind: "story", thing, name, texts }}
      note="Teams before and after training"
    >
      <div class="stack stories wide">
        {fields.map(([label, value, set, maxLength]) => (
          <label key={label}>
            <span class="soft small">{label}</span>
            <input
              class="input"
              {...{ value, maxLength }}
              autocomplete="off"
              onInput={({ currentTarget }) => set(currentTarget.value)}
            />
          </label>
        ))}
        {texts.map((text, i) => (
          <label key={i}>
            <span class="soft small">Text of teller {tellers[i]}</span>
            <textarea
              class="input"
              rows={2}
              maxLength={maxCharacters.text}
              value={text}
              onInput={({ currentTarget }) => setTexts(replaced(texts, i, currentTarget.value))}
            />
          </label>
        ))}
      </div>
    </AskForm>
  );
}

function BeforeAndNow({ before, now, step }: NonNullable<PageState["asked"]>) {
  const { untrained, stillUntrained } = levelTexts[useContext(Level)];
  const trained = step === 0 ? stillUntrained : `After ${counted(step, "step")}`;
  const sides = [
    { title: untrained, conversation: before },
    { title: trained, conversation: now },
  ];
  return (
    <div class="fit" aria-live="polite">
      {sides.map(({ title, conversation }) => (
        <div key={title}>
          <h3>{title}</h3>
          <ConversationView conversation={conversation} label={`Conversation: ${title}`} />
        </div>
      ))}
    </div>
  );
}
