import type { Config } from "../../config.ts";
import { clientIp, type JsonObject, TerminalError } from "../../types/mod.ts";
import type { Shared } from "../front/shared.ts";
import { checkToken } from "../payload/token.ts";
import { REFUSALS } from "./answers.ts";
import { askedToken } from "./askedToken.ts";
import { decideAnswer, flagsAnswer, remoteConfig, remoteConfigScript } from "./flags.ts";
import type { SdkRoute } from "./route.ts";
import { cacheControl, Scripts } from "./scripts.ts";

export interface SdkDeps extends Shared {
  config: Pick<Config, "eventBodyMaxBytes" | "trustProxy">;
  /** The time that counts for a request, epoch milliseconds. */
  now(request: Request): number;
}

const CONFIG_MAX_AGE_S = 300;
const BOOTSTRAP_SCRIPT = "array.js";

/**
 * What SDKs ask for beside sending events, and the answers of a service that has no flags, surveys, experiments or
 * recordings. Every one is of the form that ends the question: nothing to retry, nothing to log.
 */
export function sdkRoutes(deps: SdkDeps): SdkRoute[] {
  const { keys } = deps;
  const scripts = new Scripts();

  /** For a POST, whose body names the project. */
  const asked = async (request: Request, connectionIp: string | null): Promise<string> => {
    const { eventBodyMaxBytes, trustProxy } = deps.config;
    const address = clientIp(request, connectionIp, trustProxy);
    const token = await askedToken(request, eventBodyMaxBytes, address, deps);
    await keys.projectOf(token);
    return token;
  };
  /** For a GET with `?token=`: a list that is always empty is still given to known projects only. */
  const known = (answer: JsonObject) => async (request: Request) => {
    await keys.projectOf(checkToken(new URL(request.url).searchParams.get("token")));
    return Response.json(answer);
  };
  const configured = async (params: Record<string, string>): Promise<string> => {
    const token = tokenInPath(params.token ?? "");
    await keys.projectOf(token).catch((error: unknown) => {
      throw error instanceof TerminalError ? new TerminalError("not_found", "no project has this token") : error;
    });
    return token;
  };
  const script = async (request: Request, name: string, version: string | null) => {
    const answer = await scripts.answer(request, name, version);
    if (answer === null) throw new TerminalError("not_found", "there is no such file");
    return answer;
  };

  return [
    {
      method: "POST",
      paths: ["/flags", "/flags/"],
      answer: async (request, _params, ip) => {
        const { searchParams } = new URL(request.url);
        const isWithConfig = searchParams.get("config") === "true";
        return Response.json(
          flagsAnswer(await asked(request, ip), versionOf(searchParams), isWithConfig, deps.now(request)),
        );
      },
    },
    {
      method: "POST",
      paths: ["/decide", "/decide/"],
      answer: async (request, _params, ip) =>
        Response.json(decideAnswer(await asked(request, ip), versionOf(new URL(request.url).searchParams))),
    },
    { method: "GET", paths: ["/api/surveys", "/api/surveys/"], answer: known({ surveys: [] }) },
    {
      method: "GET",
      paths: ["/api/early_access_features", "/api/early_access_features/"],
      answer: known({ earlyAccessFeatures: [] }),
    },
    { method: "GET", paths: ["/api/web_experiments", "/api/web_experiments/"], answer: known({ experiments: [] }) },
    { method: "GET", paths: ["/api/product_tours", "/api/product_tours/"], answer: known({ product_tours: [] }) },
    {
      method: "GET",
      paths: ["/array/:token/config"],
      answer: async (_request, params) => cached(Response.json(remoteConfig(await configured(params)))),
    },
    {
      method: "GET",
      paths: ["/array/:token/config.js"],
      answer: async (_request, params) => scriptOf(remoteConfigScript(await configured(params))),
    },
    {
      method: "GET",
      paths: ["/array/:token/array.js"],
      answer: async (_request, params) =>
        scriptOf(remoteConfigScript(await configured(params)) + (await scripts.text(BOOTSTRAP_SCRIPT))),
    },
    { method: "GET", paths: ["/static/:name"], answer: (request, { name = "" }) => script(request, name, null) },
    {
      method: "GET",
      // The router wants one name for what stands there; here it is a version.
      paths: ["/static/:name/:file"],
      answer: (request, { name = "", file = "" }) => script(request, file, name),
    },
    ...REFUSALS,
  ];
}

function tokenInPath(token: string): string {
  try {
    return checkToken(token);
  } catch (cause) {
    throw new TerminalError("invalid_token", "Invalid token", { cause });
  }
}

/** `?v=`; without one, the oldest form. */
function versionOf(query: URLSearchParams): number {
  return Number.parseInt(query.get("v") ?? "", 10) || 1;
}

function scriptOf(text: string): Response {
  return cached(new Response(text, { headers: { "Content-Type": "text/javascript; charset=utf-8" } }));
}

function cached(answer: Response): Response {
  answer.headers.set("Cache-Control", cacheControl(CONFIG_MAX_AGE_S));
  return answer;
}
