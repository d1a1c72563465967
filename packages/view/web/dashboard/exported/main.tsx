import "../../parts/page.css";
import "../dashboard.css";
import { render } from "preact";
import type { RecordedView } from "../../../src/protocol.ts";
import { App } from "../app.tsx";
import { connection } from "../live.ts";
import { beginAt } from "../navigation.ts";
import { parseRoute } from "../route.ts";
import { answerFrom } from "../server.ts";
import { recordedAnswer } from "./recorded-answers.ts";

function Foot({ made, leftOut }: Pick<RecordedView, "made" | "leftOut">) {
  return (
    <footer class="about-copy small soft">
      <p>
        A copy in one file, made with <code>laconic view --export</code> on {new Date(made).toISOString().slice(0, 10)}.
        It asks nothing of any server.
      </p>
      {leftOut.length > 0 && (
        <details>
          <summary>What is not in it</summary>
          <ul>
            {leftOut.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </details>
      )}
    </footer>
  );
}

const text = document.querySelector("#recorded")?.textContent ?? "";
const recorded = JSON.parse(text) as RecordedView;
answerFrom((path) => recordedAnswer(recorded, path));
connection.set("copy");
beginAt(parseRoute(recorded.start));
const root = document.querySelector("#root");
if (root !== null) render(<App foot={<Foot made={recorded.made} leftOut={recorded.leftOut} />} />, root);
