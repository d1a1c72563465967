import { render } from "preact";

render(<h1>Laconic</h1>, document.querySelector("#root") as HTMLElement);
