import { useState } from "preact/hooks";
import type { SampleDetail, SampleRow } from "../../../src/protocol.ts";
import { counted, formatDuration, formatNumber, formatPercent } from "@laconic/core/text";
import { SafeLine, SafeText } from "../../parts/text.tsx";
import { setQuery } from "../navigation.ts";
import { When } from "../parts.tsx";
import { useLoaded } from "../server.ts";
import { figuresOf, Verdict } from "./sample-line.tsx";

type Call = SampleDetail["calls"][number];

/** Calls that are drawn before somebody asks for more. */
const callsAtOnce = 20;
/** Samples of the same question, likewise. */
const othersAtOnce = 12;

/** One sample: question, requests and replies, and the way to its verdict. */
export function SampleView({ bench, sample }: { readonly bench: string; readonly sample: string }) {
  const path = `/benches/${encodeURIComponent(bench)}/samples/${encodeURIComponent(sample)}`;
  const loaded = useLoaded<SampleDetail>(path);
  return (
    <div class="episode sample">
      <button type="button" class="button back" onClick={() => setQuery({ sample: "" })}>
        ← All samples
      </button>
      {loaded.value === null && loaded.error?.status === 404 ? (
        <p class="notice warn">There is no such sample in this bench.</p>
      ) : (
        <When loaded={loaded}>{(detail) => <Sample key={detail.row.key} detail={detail} />}</When>
      )}
    </div>
  );
}

function Sample({ detail }: { readonly detail: SampleDetail }) {
  const { row, others, protocol, attempt, stopReason, error } = detail;
  const about = [
    `${row.benchmark}, question ${row.problem}`,
    `repeat ${row.repeat + 1}`,
    ...(protocol === null ? [] : [`played as ${protocol}`]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(stopReason === null ? [] : [`ended: ${stopReason}`]),
  ];
  return (
    <article aria-label="Sample">
      <div class="line">
        <h2 tabIndex={-1} data-opened>
          <SafeLine text={row.method} max={80} />
        </h2>
        <Verdict verdict={row.verdict} />
        <span class="soft small number">{figuresOf(row).join(" · ")}</span>
      </div>
      <p class="soft small">
        <SafeLine text={about.join("; ")} max={400} />
      </p>
      {error !== null && (
        <p class="notice bad">
          <SafeText text={error} max={1000} />
        </p>
      )}
      <h3>Question</h3>
      <div class="part read">
        <SafeText text={detail.question === "" ? "The bench did not keep its questions." : detail.question} />
      </div>
      <Grading detail={detail} />
      <Calls detail={detail} />
      {others.length > 0 && <Others others={others} />}
    </article>
  );
}

/** What was found in the reply, and how it was compared. */
function Grading({ detail }: { readonly detail: SampleDetail }) {
  const { extracted, gold, rule, steps, tests, grading, row } = detail;
  const isProgram = grading === "code" || grading === "program";
  const areTests = steps.some(({ ended }) => ended !== undefined);
  return (
    <>
      <h3>Verdict</h3>
      <dl class="grading panel">
        <dt>{isProgram ? "Program" : "Answer"}</dt>
        <dd class="mono">
          {extracted === null ? <i class="soft">none was found</i> : <SafeText text={extracted} max={2000} />}
        </dd>
        {!isProgram && (
          <>
            <dt>Gold</dt>
            <dd class="mono">
              <SafeText text={gold} max={2000} />
            </dd>
          </>
        )}
        <dt>Rule</dt>
        <dd>{rule === null ? <i class="soft">none applied</i> : <SafeText text={rule} max={400} />}</dd>
        {row.score !== null && (
          <>
            <dt>F1 of words</dt>
            <dd class="number">{formatPercent(row.score)}</dd>
          </>
        )}
      </dl>
      {steps.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Steps of grading">
          <table>
            <thead>
              <tr>
                <th scope="col">{areTests ? "Test" : "Step"}</th>
                {areTests && <th scope="col">How it ended</th>}
                <th scope="col">Answer</th>
                <th scope="col">{areTests ? "Expected" : "Gold"}</th>
              </tr>
            </thead>
            <tbody>
              {steps.map((step, i) => (
                <tr key={i}>
                  <th scope="row">
                    <SafeLine text={step.name} max={120} />
                  </th>
                  {areTests && (
                    <td>
                      <SafeText text={step.ended ?? "–"} max={300} />
                    </td>
                  )}
                  <td class="mono">
                    <SafeText text={step.answer} max={300} />
                  </td>
                  <td class="mono">{step.gold === null ? "–" : <SafeText text={step.gold} max={300} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {tests !== null && (
        <details>
          <summary>Tests</summary>
          <div class="part read">
            <SafeText text={tests} />
          </div>
        </details>
      )}
    </>
  );
}

function Calls({ detail }: { readonly detail: SampleDetail }) {
  const { calls, callsMissing, answer } = detail;
  const [shown, setShown] = useState(callsAtOnce);
  return (
    <>
      <h3>{calls.length === 0 ? "Reply" : counted(calls.length, "call")}</h3>
      {callsMissing !== null && <p class="soft small">{callsMissing}</p>}
      <ol class="turns">
        {calls.slice(0, shown).map((call, i) => (
          <OneCall key={i} call={call} number={i + 1} />
        ))}
      </ol>
      {calls.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + callsAtOnce)}>
          Show more ({counted(calls.length - shown, "call")} left)
        </button>
      )}
      {(calls.length === 0 || answer !== calls.at(-1)?.reply) && (
        <div class="part wrote">
          <span class="what">the method&apos;s answer</span>
          {answer === null ? <i class="soft">none</i> : <SafeText text={answer} />}
        </div>
      )}
    </>
  );
}

const kindWords = {
  cachedTokens: "cached",
  cacheWriteTokens: "written to the cache",
  reasoningTokens: "reasoning",
} as const;

/** "8 cached, 500 reasoning": the kinds that a call has, all of them included in its prompt and completion tokens. */
function kindsOf(call: Call): string {
  return (Object.keys(kindWords) as (keyof typeof kindWords)[])
    .filter((kind) => (call[kind] ?? 0) > 0)
    .map((kind) => `${formatNumber(call[kind])} ${kindWords[kind]}`)
    .join(", ");
}

function OneCall({ call, number }: { readonly call: Call; readonly number: number }) {
  const { agent, model, prompt, reply, error, promptTokens, completionTokens, seconds } = call;
  const kinds = kindsOf(call);
  return (
    <li class="turn panel">
      <div class="line">
        <b>
          {number}. <SafeLine text={agent} max={40} />
        </b>
        <span class="soft small">
          <SafeLine text={model} max={80} />
        </span>
        <span class="soft small number">
          {formatNumber(promptTokens)} + {counted(completionTokens, "token")}
          {kinds === "" ? "" : ` (${kinds})`} · {formatDuration(seconds)}
        </span>
      </div>
      <p class="soft small">
        <SafeLine text={settingsOf(call)} max={400} />
      </p>
      {prompt.kind === "messages" ? (
        prompt.messages.map(({ role, content }, i) => (
          <div key={i} class={`part ${role === "system" ? "private" : "read"}`}>
            <span class="what">
              <SafeLine text={role} max={20} />
            </span>
            <SafeText text={content} max={1500} />
          </div>
        ))
      ) : (
        <div class="part read">
          <span class="what">{prompt.kind}</span>
          <SafeText text={prompt.kind === "text" ? prompt.text : prompt.tokens.join(" ")} max={1500} />
        </div>
      )}
      <div class="part wrote">
        <span class="what">{error === null ? "reply" : "failed"}</span>
        {error !== null ? (
          <SafeText text={error} max={1000} />
        ) : reply === "" || reply === null ? (
          <i class="soft">nothing</i>
        ) : (
          <SafeText text={reply} max={4000} />
        )}
      </div>
    </li>
  );
}

/** "temperature 0.7, maxTokens 1024, stop [...]; ended: length". */
function settingsOf({ sampling, finishReason }: Call): string {
  const words = Object.entries(sampling).map(
    ([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
  );
  return `${words.join(", ")}${finishReason === null ? "" : `; ended: ${finishReason}`}`;
}

/** The same question by other methods, and in other repeats. */
function Others({ others }: { readonly others: readonly SampleRow[] }) {
  const [shown, setShown] = useState(othersAtOnce);
  return (
    <>
      <h3>The same question</h3>
      <ul class="same-question">
        {others.slice(0, shown).map((other) => (
          <li key={other.key} class="line">
            <Verdict verdict={other.verdict} />
            <button type="button" class="button small" onClick={() => setQuery({ sample: other.key })}>
              <SafeLine text={other.method} max={60} />
              {other.repeat > 0 && `, repeat ${other.repeat + 1}`}
            </button>
            <span class="soft small">
              {other.extracted === null ? "no answer" : <SafeLine text={other.extracted} max={60} />}
            </span>
          </li>
        ))}
      </ul>
      {others.length > shown && (
        <button type="button" class="button small" onClick={() => setShown(others.length)}>
          Show {others.length - shown} more
        </button>
      )}
    </>
  );
}
