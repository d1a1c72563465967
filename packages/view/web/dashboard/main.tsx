import { render } from "preact";
import { App } from "./app.tsx";
import { follow } from "./live.ts";

const root = document.querySelector("#root");
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
follow();
