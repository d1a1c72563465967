import { render } from "preact";
import { App } from "./app.tsx";

render(<App query={location.search} />, document.querySelector("#root") as HTMLElement);
