import Ajv, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { operations } from "../../src/manage/mod.ts";
import { documentOf } from "../../src/openapi/mod.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/types/mod.ts";

/** An answer as a test's client has it. */
export interface SeenAnswer {
  status: number;
  headers: Headers;
  text: string;
}

interface Documented {
  method: string;
  path: string;
  pattern: RegExp;
  /** More parameters: a path of words comes before. */
  parameters: number;
  responses: JsonObject;
}

const document = JSON.parse(JSON.stringify(documentOf(operations()))) as JsonObject;
// A member that the document does not know is a fault of the document, though clients may meet one some day.
const closed = closedSchemas(document) as JsonObject;

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true });
addFormats(ajv);
ajv.addSchema({ ...closed, $id: "weir" });
const validators = new Map<string, ValidateFunction>();

const operationsByPath: Documented[] = Object.entries(member(document, "paths")).flatMap(([path, item]) =>
  Object.entries(item as JsonObject).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    pattern: patternOf(path),
    parameters: path.split("{").length,
    responses: member(operation as JsonObject, "responses"),
  })),
);
operationsByPath.sort((a, b) => a.parameters - b.parameters);

/** With and without a slash at the end, or with `.csv` in its place. */
function patternOf(path: string): RegExp {
  const escaped = path.replace(/\/$/, "").replaceAll(".", "\\.");
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, "[^/]+?")}(?:/|\\.csv)?$`);
}

/** Throws where an answer is not what the document says of its path, method and status. */
export function checkDocumented(method: string, url: string, answer: SeenAnswer): void {
  const { pathname } = new URL(url, "http://weir");
  const asked = method === "HEAD" ? "GET" : method;
  const path = operationsByPath.find((one) => one.pattern.test(pathname))?.path;
  const operation = operationsByPath.find((one) => one.method === asked && one.path === path);
  // A path or a method that is not documented may only be refused.
  if (operation === undefined) {
    if (method === "OPTIONS" || (answer.status >= 400 && answer.status < 500)) return;
    throw new Error(`${method} ${pathname}: ${answer.status}, but the document does not have it`);
  }
  const said = resolved(operation.responses[String(answer.status)] ?? null);
  const place = `${method} ${pathname}: ${answer.status}`;
  if (said === null) throw new Error(`${place} is not documented: ${answer.text.slice(0, 500)}`);
  if (method !== "HEAD") checkBody(place, said, answer);
}

/** The answer, which can still be read, when it is as documented. Throws as `checkDocumented`. */
export async function documented(method: string, response: Response): Promise<Response> {
  const { status, headers, url } = response;
  checkDocumented(method, url, { status, headers, text: await response.clone().text() });
  return response;
}

function checkBody(place: string, said: JsonObject, { headers, text }: SeenAnswer): void {
  const content = said.content as JsonObject | undefined;
  if (content === undefined) {
    if (text !== "") throw new Error(`${place} has a body, and the document none: ${text.slice(0, 500)}`);
    return;
  }
  const type = (headers.get("content-type") ?? "").split(";")[0]!.trim();
  const media = content[type];
  if (!isJsonObject(media)) throw new Error(`${place} is of type "${type}", which is not documented`);
  if (type !== "application/json") return;
  const schema = JSON.stringify(closedSchemas(media.schema!));
  const validate = validators.get(schema) ?? ajv.compile(JSON.parse(absolute(schema)));
  validators.set(schema, validate);
  if (validate(JSON.parse(text))) return;
  const problems = ajv.errorsText(validate.errors).slice(0, 2000);
  throw new Error(`${place} is not as the document says: ${problems}\n${text.slice(0, 2000)}`);
}

const absolute = (schema: string): string => schema.replaceAll('"#/components/', '"weir#/components/');

function resolved(said: Json): JsonObject | null {
  if (!isJsonObject(said)) return null;
  if (typeof said.$ref !== "string") return said;
  const name = said.$ref.split("/").at(-1)!;
  return member(member(member(document, "components"), "responses"), name);
}

function member(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  if (!isJsonObject(value)) throw new Error(`the document has no ${name}`);
  return value;
}

/** The same with no other members than those named, where nothing else is said. */
function closedSchemas(value: Json): Json {
  if (Array.isArray(value)) return value.map(closedSchemas);
  if (!isJsonObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closedSchemas(one)]));
  const isOpen = inner.type === "object" && isJsonObject(inner.properties) && inner.additionalProperties === undefined;
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}
