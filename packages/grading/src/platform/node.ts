export { mathsGrader } from "../maths/maths-grader.ts";
