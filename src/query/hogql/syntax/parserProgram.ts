import createParser, { type HogQLParser } from "@posthog/hogql-parser";

/** What the package's function takes, as every loader that Emscripten makes; its types do not say so. */
type Load = (options?: {
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): object;
}) => Promise<HogQLParser>;
const load = createParser as Load;

/** A parser with a memory of its own. What it has parsed changes how long it takes for other texts. */
export interface LoadedParser {
  parser: HogQLParser;
  /** It only grows. */
  memory: WebAssembly.Memory;
}

/**
 * The parser's program, compiled once: each `fresh` parser runs it in an empty memory, within some ms. A program that is
 * compiled anew takes 0.2 s more for its first text, until its code is fast.
 */
export class ParserProgram {
  private constructor(private readonly module: WebAssembly.Module) {}

  static async compile(): Promise<ParserProgram> {
    return new ParserProgram(await WebAssembly.compile(await programBytes()));
  }

  async fresh(): Promise<LoadedParser> {
    const { promise: memory, resolve } = Promise.withResolvers<WebAssembly.Memory>();
    const parser = await load({
      instantiateWasm: (imports, done) => {
        const instance = new WebAssembly.Instance(this.module, imports);
        // The names of what it exports are the package's own.
        resolve(Object.values(instance.exports).find((one) => one instanceof WebAssembly.Memory)!);
        done(instance);
        return instance.exports;
      },
    });
    return { parser, memory: await memory };
  }
}

/** The package keeps its program to itself: what it is about to instantiate is seen, once. */
async function programBytes(): Promise<BufferSource> {
  const { instantiate } = WebAssembly;
  const { promise: seen, resolve } = Promise.withResolvers<BufferSource>();
  try {
    WebAssembly.instantiate = ((bytes: BufferSource) => {
      resolve(bytes);
      return new Promise(() => {});
    }) as typeof instantiate;
    return await Promise.race([seen, load().then(loadedUnseen)]);
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

function loadedUnseen(): never {
  throw new Error("the parser was loaded in a way that is not known");
}
