export { formatNumber, formatPercent } from "@laconic/evaluation";
export { formatDuration } from "./duration.ts";
