export { parseJson } from "@laconic/core";
