export { addressOf, guardedFetch, isPublic } from "./hosts.ts";
export { answerText, connectionProblem, pauseAskedFor, refusal } from "./problem.ts";
export { SECRET_FILES, SecretBox } from "./secrets.ts";
