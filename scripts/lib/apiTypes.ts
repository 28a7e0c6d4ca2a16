import type { TSchema } from "@sinclair/typebox";
import { operations } from "../../src/manage/mod.ts";
import type { Operation, Shape } from "../../src/openapi/mod.ts";

const HEAD = `// Made by scripts/docs from the routes of the management API: a route that changes breaks the pages that use it.
`;
/** Every path below an environment has this second name. */
const SECOND_NAME = "/api/projects/{project_id}/";

/** Pages send no events. */
const OF_PAGES = /^\/(?:api|shared)\//;

/** `src/web/app/api/schema.ts`: each route's parameters, body and answer as TypeScript types. */
export function apiTypes(): string {
  const all = operations();
  const paths = new Set(all.map(({ path }) => path));
  const isAgain = ({ path }: Operation) =>
    path.startsWith(SECOND_NAME) && paths.has(path.replace(SECOND_NAME, "/api/environments/{project_id}/"));
  const types = new Types();
  const asked = all.filter((operation) => OF_PAGES.test(operation.path) && !isAgain(operation));
  const routes = asked.map((operation) => routeText(operation, types));
  return `${HEAD}
/** The routes, each by its method and path. */
export interface Api {
${routes.join("\n")}
}

${types.declarations()}`;
}

function routeText(operation: Operation, types: Types): string {
  const { method, path, parameters, body, responses } = operation;
  const of = (place: "path" | "query") => parameters.filter((parameter) => parameter.in === place);
  const members = [
    record("params", of("path"), types),
    record("query", of("query"), types),
    ...(body === undefined
      ? []
      : [
          `body${body.isRequired ? "" : "?"}: ${union(Object.values(body.content).map((schema) => types.of(schema)))};`,
        ]),
  ].filter((member) => member !== "");
  return `  "${method} ${path}": { options: { ${members.join(" ")} }; answer: ${answerOf(responses, types)} };`;
}

/** Parameters of one place as a member of a route's options; it may be left out where all of them may. */
function record(name: string, parameters: Operation["parameters"], types: Types): string {
  if (parameters.length === 0) return "";
  const isNeeded = (one: Operation["parameters"][number]) => one.in === "path" || one.isRequired === true;
  const members = parameters.map((one) => {
    if (one.isSpread) return "[name: string]: unknown;";
    // Named schemas of JSON in a parameter are declared too: others refer to them.
    const type = types.of(one.schema);
    return `${property(one.name)}${isNeeded(one) ? "" : "?"}: ${one.isJson ? "string" : type};`;
  });
  return `${name}${parameters.some(isNeeded) ? "" : "?"}: { ${members.join(" ")} };`;
}

/** What the answers of success hold, as far as they are JSON. */
function answerOf(responses: Operation["responses"], types: Types): string {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return union(
    good.flatMap(([, shape]) => shapesOf(shape)).map((schema) => (schema === null ? "null" : types.of(schema))),
  );
}

function shapesOf(shape: Shape): (TSchema | null)[] {
  if (shape === null) return [null];
  return [shape].flat().filter((schema) => schema.contentMediaType === undefined);
}

const union = (types: readonly string[]) => [...new Set(types)].join(" | ") || "unknown";
const property = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** TypeScript types of schemas; those with a name are declared once. */
class Types {
  private readonly named = new Map<string, string>();

  declarations(): string {
    return [...this.named].map(([name, type]) => `export type ${name} = ${type};\n`).join("\n");
  }

  of(schema: TSchema): string {
    const { $id: name } = schema;
    if (name === undefined) return this.plain(schema);
    if (!this.named.has(name)) {
      this.named.set(name, "");
      this.named.set(name, this.plain(schema));
    }
    return name;
  }

  private plain(schema: TSchema): string {
    if (schema.$ref !== undefined) return schema.$ref;
    if (schema.enum !== undefined) return union(schema.enum.map((value: unknown) => JSON.stringify(value)));
    if ("const" in schema) return JSON.stringify(schema.const);
    const options: TSchema[] | undefined = schema.anyOf ?? schema.oneOf;
    if (options !== undefined) return union(options.map((option) => this.of(option)));
    if (schema.allOf !== undefined) return schema.allOf.map((part: TSchema) => this.of(part)).join(" & ");
    const kinds: string[] = [schema.type ?? []].flat();
    return kinds.length === 0 ? "unknown" : union(kinds.map((kind) => this.kind(kind, schema)));
  }

  private kind(kind: string, schema: TSchema): string {
    if (kind === "array") return schema.items === undefined ? "unknown[]" : `(${this.of(schema.items)})[]`;
    if (kind === "object") return this.object(schema);
    return kind === "integer" ? "number" : kind;
  }

  private object({ properties = {}, required = [], additionalProperties, patternProperties }: TSchema): string {
    const members = Object.entries(properties as Record<string, TSchema>).map(
      ([name, member]) => `${property(name)}${required.includes(name) ? "" : "?"}: ${this.of(member)};`,
    );
    const [others] = Object.values((patternProperties ?? {}) as Record<string, TSchema>);
    const rest = typeof additionalProperties === "object" ? additionalProperties : others;
    if (members.length === 0) return `Record<string, ${rest === undefined ? "unknown" : this.of(rest)}>`;
    if (rest !== undefined || additionalProperties === true) members.push("[name: string]: unknown;");
    return `{ ${members.join(" ")} }`;
  }
}
