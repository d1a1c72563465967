// Starts or measures one device and sends the result to the parent. A crashing library ends only this process.
const fromSource = import.meta.resolve("@laconic/core").endsWith(".ts");
if (fromSource) (await import("tsx/esm/api")).register();
const load = (name) => import(fromSource ? `../src/devices/${name}.ts` : `../dist/devices/${name}.js`);
const source = JSON.parse(process.argv[2]);
const outcome =
  process.argv[3] === "measure"
    ? await (await load("try-device")).measureDevice(source)
    : await (await load("try-device")).tryDevice(source);
// The libraries' own shutdown may hang or crash.
process.send(outcome, () => process.exit(0));
