export { formatNumber, formatPercent } from "@laconic/evaluation/text";
export { formatDuration } from "./duration.ts";
