import { render } from "preact";
import "../parts/theme.css";
import "../parts/agent-graph.css";
import "uplot/dist/uPlot.min.css";
import "./dashboard.css";
import "./charts.css";
import "./episodes.css";
import { App } from "./app.tsx";
import { follow } from "./live.ts";

const root = document.querySelector("#root");
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
follow();
