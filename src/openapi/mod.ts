export { documentOf } from "./document.ts";
export { ERROR, ERROR_MEMBERS, type ErrorType } from "./error.ts";
export {
  METHODS,
  type Method,
  type Operation,
  type Parameter,
  pathParameters,
  type Responses,
  type Shape,
} from "./operation.ts";
export * from "./schemas.ts";
export { viewerFile, viewerPage } from "./viewer.ts";
