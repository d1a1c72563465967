import { render } from "preact";
import { App } from "./app.tsx";
import { drawWith } from "./curves/column-client.ts";
import { liveDrawer } from "./curves/live-drawer.ts";
import { follow } from "./live.ts";

drawWith(liveDrawer);
const root = document.querySelector("#root");
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
follow();
