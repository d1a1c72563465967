import { counted, formatNumber, formatPercent } from "@laconic/core/text";
import { useEffect, useState } from "preact/hooks";
import type { BenchTable, SampleQuery, SampleRow } from "../../../src/protocol.ts";
import { Button } from "../../parts/elements.tsx";
import { SafeLine } from "../../parts/text.tsx";
import { Choice, SearchField } from "../fields.tsx";
import { Finder, useFoundList } from "../finder.tsx";
import { linkTo, setQuery, useQuery, useRoute, useTitle } from "../navigation.ts";
import { Empty, When } from "../parts.tsx";
import { useLoaded } from "../server.ts";
import { figuresOf, SampleView, Verdict, verdicts } from "./sample-view.tsx";

/** Also their names in the address. */
const queryFields = [
  "text",
  "method",
  "against",
  "benchmark",
  "verdict",
  "sort",
] as const satisfies readonly (keyof SampleQuery)[];

export function SamplesPage() {
  const [, id = ""] = useRoute().path;
  const loaded = useLoaded<readonly BenchTable[]>("/benches");
  const bench = loaded.value?.find((each) => each.id === id);
  useTitle(bench?.name ?? "Samples");
  return (
    <When loaded={loaded}>
      {() =>
        bench === undefined ? (
          <Empty title="No such bench">
            <p>
              It may not have begun yet, have been moved or deleted, or the page was opened on another folder.{" "}
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
      <SearchField label="Search" query="text" placeholder="words of questions and answers" kind="wide" />
      <Choice label="Method" query="method" any="all" options={methods} />
      <Choice label="Disagrees with" query="against" any="nobody" options={methods} />
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
        <b class="small method">
          <SafeLine text={row.method} max={40} />
        </b>
        <span class="soft small">
          <SafeLine text={row.benchmark} max={30} />
          {row.repeat > 0 && `, repeat ${row.repeat + 1}`}
        </span>
        <span class="number small soft">
          {tokens}
          <span class="figures"> · {figures.join(" · ")}</span>
        </span>
      </div>
      <div class="question">
        <SafeLine text={row.question === "" ? row.problem : row.question} />
      </div>
      <div class="answer soft small">
        <SafeLine text={row.extracted ?? "no answer"} max={60} />
        {row.gold !== "" && " · gold "}
        <SafeLine text={row.gold} max={40} />
      </div>
    </>
  );
}
