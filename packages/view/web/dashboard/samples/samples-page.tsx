import { counted, formatNumber, formatPercent, formatDuration, formatUsd } from "@laconic/core/text";
import { useEffect, useState } from "preact/hooks";
import type { BenchTable, SampleQuery, SampleRow, SampleDetail, SampleVerdict } from "../../../src/protocol.ts";
import { Badge, Button, Table, type Column, type Look } from "../../parts/elements.tsx";
import { SafeLine, SafeText } from "../../parts/text.tsx";
import { Choice, SearchField } from "../fields.tsx";
import { Finder, useFoundList } from "../finder.tsx";
import { linkTo, setQuery, useQuery, useRoute, useTitle } from "../navigation.ts";
import { Empty, When, GivenText, Part } from "../parts.tsx";
import { useLoaded } from "../server.ts";

/** Also their names in the address. */
const queryFields: readonly (keyof SampleQuery)[] = ["text", "method", "against", "benchmark", "verdict", "sort"];

export function SamplesPage() {
  const [, id = ""] = useRoute().path;
  const loaded = useLoaded<readonly BenchTable[]>("/benches");
  const bench = loaded.value?.find((table) => table.id === id);
  useTitle(bench?.name ?? "Samples");
  return (
    <When loaded={loaded}>
      {() =>
        bench === undefined ? (
          <Empty title="Bench not found">
            <p>
              The bench has not started, was moved or deleted, or is in another folder.{" "}
              <a href={linkTo(["benches"])}>All benches</a>
            </p>
          </Empty>
        ) : (
          <Samples bench={bench} />
        )
      }
    </When>
  );
}

function Samples({ bench }: { bench: BenchTable }) {
  const list = useFoundList<SampleRow>(`/benches/${encodeURIComponent(bench.id)}/samples`, queryFields);
  const chosen = useQuery("sample");
  const [seen, setSeen] = useState(bench.samples);
  // A new search covers all samples.
  useEffect(() => setSeen(bench.samples), [list.search]);
  const showNew = (): void => {
    setSeen(bench.samples);
    list.again();
  };
  return (
    <>
      <div class="line heading">
        <h1>
          <SafeLine text={bench.name} />
        </h1>
        <p class="soft">{counted(bench.samples, "sample")}</p>
      </div>
      <section class={`episodes samples ${chosen === "" ? "" : "has-chosen"}`} aria-label="Samples">
        <Finder
          {...{ list, chosen }}
          noun="sample"
          label="Samples"
          choose={(key) => setQuery({ sample: key })}
          filters={<Filters bench={bench} />}
          status={
            bench.samples > seen && (
              <Button kind="small" onClick={showNew}>
                Show {formatNumber(bench.samples - seen)} new
              </Button>
            )
          }
        >
          {(row) => <SampleLine row={row} />}
        </Finder>
        {chosen !== "" && <SampleView bench={bench.id} sample={chosen} />}
      </section>
    </>
  );
}

function Filters({ bench: { methods, benchmarks } }: { bench: BenchTable }) {
  return (
    <>
      <SearchField label="Search" query="text" placeholder="words in questions and answers" kind="wide" />
      <Choice label="Method" query="method" any="all" options={methods} />
      <Choice label="Disagrees with" query="against" any="none" options={methods} />
      {benchmarks.length > 1 && <Choice label="Benchmark" query="benchmark" any="all" options={benchmarks} />}
      <Choice label="Verdict" query="verdict" any="all" options={Object.keys(verdicts)} />
      <Choice label="Order" query="sort" any="by question" options={["newest", "tokens", "cost", "time"]} />
    </>
  );
}

function SampleLine({ row }: { row: SampleRow }) {
  const [tokens, ...figures] = figuresOf(row);
  return (
    <>
      <div class="line">
        <Verdict verdict={row.verdict} />
        {row.score !== null && <span class="small number">F1 {formatPercent(row.score)}</span>}
        <b class="small clip method">
          <SafeLine text={row.method} max={40} />
        </b>
        <span class="soft small">
          <SafeLine text={row.benchmark} max={30} />
          {row.repeat > 0 && `, repeat ${row.repeat + 1}`}
        </span>
        <span class="number small soft last">
          {tokens}
          <span class="figures"> · {figures.join(" · ")}</span>
        </span>
      </div>
      <div class="clip question">
        <SafeLine text={row.question === "" ? row.problem : row.question} />
      </div>
      <div class="clip answer soft small">
        <SafeLine text={row.extracted ?? "no answer"} max={60} />
        {row.gold !== "" && " · gold "}
        <SafeLine text={row.gold} max={40} />
      </div>
    </>
  );
}

type Call = SampleDetail["calls"][number];

const [callsAtOnce, othersAtOnce] = [20, 12];

const verdicts: Readonly<Record<SampleVerdict, Look>> = {
  right: ["✓", "good"],
  wrong: ["✗", "bad"],
  failed: ["!", "warn"],
  undecided: ["?", "warn"],
};

function Verdict({ verdict }: { verdict: SampleVerdict }) {
  return <Badge look={verdicts[verdict]}>{verdict}</Badge>;
}

function figuresOf({ tokens, calls, usd, seconds }: SampleRow): readonly string[] {
  const price = usd === null ? [] : [formatUsd(usd)];
  return [counted(tokens, "token"), counted(calls, "call"), ...price, formatDuration(seconds)];
}

function SampleView({ bench, sample }: { bench: string; sample: string }) {
  const path = `/benches/${encodeURIComponent(bench)}/samples/${encodeURIComponent(sample)}`;
  const missing = <p class="notice warn">Sample not found.</p>;
  return (
    <div class="episode sample">
      <Button kind="back" onClick={() => setQuery({ sample: "" })}>
        ← All samples
      </Button>
      <When loaded={useLoaded<SampleDetail>(path)} missing={missing}>
        {(detail) => <Sample key={detail.row.key} detail={detail} />}
      </When>
    </div>
  );
}

function Sample({ detail }: { detail: SampleDetail }) {
  const { row, others, protocol, attempt, stopReason, error } = detail;
  const about = [
    `${row.benchmark}, question ${row.problem}`,
    `repeat ${row.repeat + 1}`,
    ...(protocol === null ? [] : [`protocol ${protocol}`]),
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
      <Part kind="read" text={detail.question || "The bench stores no questions."} />
      <Grading detail={detail} />
      <Calls detail={detail} />
      {others.length > 0 && <Others others={others} />}
    </article>
  );
}

function Grading({ detail }: { detail: SampleDetail }) {
  const { extracted, gold, rule, steps, tests, grading, row } = detail;
  const isProgram = grading === "code" || grading === "program";
  const areTests = steps.some(({ ended }) => ended !== undefined);
  const columns: readonly Column<(typeof steps)[number]>[] = [
    [areTests ? "Test" : "Step", ({ name }) => <SafeLine text={name} max={120} />, "name"],
    ...(areTests
      ? [["Result", ({ ended = null }) => <GivenText text={ended} none="–" />] as Column<(typeof steps)[number]>]
      : []),
    ["Answer", ({ answer }) => <GivenText text={answer} />, "mono"],
    [areTests ? "Expected" : "Gold", (step) => <GivenText text={step.gold} none="–" />, "mono"],
  ];
  return (
    <>
      <h3>Verdict</h3>
      <dl class="grading panel">
        <dt>{isProgram ? "Program" : "Answer"}</dt>
        <dd class="mono">
          <GivenText text={extracted} none="not found" />
        </dd>
        {!isProgram && (
          <>
            <dt>Gold</dt>
            <dd class="mono">
              <SafeText text={gold} />
            </dd>
          </>
        )}
        <dt>Rule</dt>
        <dd>
          <GivenText text={rule} none="none" />
        </dd>
        {row.score !== null && (
          <>
            <dt>F1 of words</dt>
            <dd class="number">{formatPercent(row.score)}</dd>
          </>
        )}
      </dl>
      {steps.length > 0 && <Table label="Grading steps" columns={columns} rows={steps} />}
      {tests !== null && (
        <details>
          <summary>Tests</summary>
          <Part kind="read" text={tests} />
        </details>
      )}
    </>
  );
}

function Calls({ detail: { calls, callsMissing, answer } }: { detail: SampleDetail }) {
  const [shown, setShown] = useState(callsAtOnce);
  return (
    <>
      <h3>{calls.length === 0 ? "Reply" : counted(calls.length, "call")}</h3>
      {callsMissing !== null && <p class="soft small">{callsMissing}</p>}
      <ol class="list stack">
        {calls.slice(0, shown).map((call, i) => (
          <OneCall key={i} call={call} number={i + 1} />
        ))}
      </ol>
      {calls.length > shown && (
        <Button onClick={() => setShown(shown + callsAtOnce)}>
          Show more ({counted(calls.length - shown, "call")} left)
        </Button>
      )}
      {(calls.length === 0 || answer !== calls.at(-1)?.reply) && (
        <Part kind="wrote" title="answer of the method" text={answer} />
      )}
    </>
  );
}

const kindWords = {
  cachedTokens: "cached",
  cacheWriteTokens: "cache writes",
  reasoningTokens: "reasoning",
} as const;

/** Included in prompt and completion tokens. */
function kindsOf(call: Call): string {
  return (Object.keys(kindWords) as (keyof typeof kindWords)[])
    .filter((kind) => (call[kind] ?? 0) > 0)
    .map((kind) => `${formatNumber(call[kind])} ${kindWords[kind]}`)
    .join(", ");
}

function OneCall({ call, number }: { call: Call; number: number }) {
  const { agent, model, prompt, reply, error, promptTokens, completionTokens, seconds, sampling, finishReason } = call;
  const kinds = kindsOf(call);
  const settings = Object.entries(sampling).map(
    ([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
  );
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
          {kinds !== "" && ` (${kinds})`} · {formatDuration(seconds)}
        </span>
      </div>
      <p class="soft small">
        <SafeLine text={`${settings.join(", ")}${finishReason === null ? "" : `; ended: ${finishReason}`}`} max={400} />
      </p>
      {prompt.kind === "messages" ? (
        prompt.messages.map(({ role, content }, i) => (
          <Part
            key={i}
            kind={role === "system" ? "private" : "read"}
            title={<SafeLine text={role} max={20} />}
            text={content}
            max={1500}
          />
        ))
      ) : (
        <Part
          kind="read"
          title={prompt.kind}
          text={prompt.kind === "text" ? prompt.text : prompt.tokens.join(" ")}
          max={1500}
        />
      )}
      <Part kind="wrote" title={error === null ? "reply" : "failed"} text={error ?? (reply || null)} none="nothing" />
    </li>
  );
}

function Others({ others }: { others: readonly SampleRow[] }) {
  const [shown, setShown] = useState(othersAtOnce);
  return (
    <>
      <h3>Other answers to this question</h3>
      <ul class="list stack same-question">
        {others.slice(0, shown).map((other) => (
          <li key={other.key} class="line">
            <Verdict verdict={other.verdict} />
            <Button kind="small" onClick={() => setQuery({ sample: other.key })}>
              <SafeLine text={other.method} max={60} />
              {other.repeat > 0 && `, repeat ${other.repeat + 1}`}
            </Button>
            <span class="soft small">
              <SafeLine text={other.extracted ?? "no answer"} max={60} />
            </span>
          </li>
        ))}
      </ul>
      {others.length > shown && (
        <Button kind="small" onClick={() => setShown(others.length)}>
          Show {others.length - shown} more
        </Button>
      )}
    </>
  );
}
