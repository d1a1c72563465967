import "../../parts/page.css";
import "../dashboard.css";
import { render } from "preact";
import { orderOf, pageOf, selectRows, selectSamples, type ListedRow } from "../../../src/data/select.ts";
import type { EpisodeDetail, RecordedView } from "../../../src/protocol.ts";
import { answerRequest, type PageData } from "../../../src/requests.ts";
import { App } from "../app.tsx";
import { connection } from "../live.ts";
import { beginAt } from "../navigation.ts";
import { parseRoute } from "../route.ts";
import { answerFrom } from "../server.ts";

function recordedData({ runs, benches }: RecordedView): PageData {
  const runOf = (id: string) => runs.find(({ detail }) => detail.summary.id === id);
  const benchOf = (id: string) => benches.find(({ table }) => table.id === id);
  return {
    runs: async () => runs.map(({ detail }) => detail.summary),
    run: async (id) => runOf(id)?.detail ?? null,
    columns: async (id) => runOf(id)?.metrics ?? null,
    speech: async (id) => runOf(id)?.speech ?? null,
    telling: async (id) => runOf(id)?.telling ?? null,
    episodes: async (id, query) => {
      const rows = (runOf(id)?.episodes ?? []).map(listedRow);
      const newestFirst = rows.toSorted((a, b) => orderOf(b.summary) - orderOf(a.summary));
      return pageOf(selectRows(newestFirst, query), query, ({ summary }) => summary);
    },
    episode: async (id, key) => runOf(id)?.episodes.find(({ row }) => row.key === key) ?? null,
    benches: async () => benches.map(({ table }) => table),
    samples: async (id, query) => {
      const samples = (benchOf(id)?.samples ?? []).map(({ row, question, answer }) => ({
        row,
        question: { text: question },
        answer: (answer ?? "").toLowerCase(),
      }));
      // They are recorded by question.
      return pageOf(
        selectSamples(samples, query, () => 0),
        query,
        ({ row }) => row,
      );
    },
    sample: async (id, key) => benchOf(id)?.samples.find(({ row }) => row.key === key) ?? null,
  };
}

function listedRow({ row, turns, problem }: EpisodeDetail): ListedRow {
  const texts = [problem.question, row.answer, ...turns.flatMap(({ text, view }) => [text, view])];
  return { summary: row, agents: turns.map(({ agent }) => agent), text: texts.join("\n").toLowerCase() };
}

function Foot({ made, leftOut }: Pick<RecordedView, "made" | "leftOut">) {
  return (
    <footer class="about-copy small soft">
      <p>
        Exported by <code>laconic view --out</code> on {new Date(made).toISOString().slice(0, 10)}. This file contacts
        no server.
      </p>
      {leftOut.length > 0 && (
        <details>
          <summary>Left out</summary>
          <ul>
            {leftOut.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </details>
      )}
    </footer>
  );
}

const text = document.querySelector("#recorded")?.textContent ?? "";
const recorded = JSON.parse(text) as RecordedView;
const data = recordedData(recorded);
answerFrom((path) => {
  const [address = "", search = ""] = path.slice(1).split("?");
  return answerRequest(data, decodeURIComponent(address), new URLSearchParams(search));
});
connection.set("copy");
beginAt(parseRoute(recorded.start));
const root = document.querySelector("#root");
if (root !== null) render(<App foot={<Foot made={recorded.made} leftOut={recorded.leftOut} />} />, root);
