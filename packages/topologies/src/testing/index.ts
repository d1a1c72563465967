/** Test doubles and the suite every topology passes. */
export { babbler } from "./babbler.ts";
export type { BabblerSettings } from "./babbler.ts";
export { topologyCases } from "./topology-cases.ts";
export type { TopologyCase, TopologySubject } from "./topology-cases.ts";
