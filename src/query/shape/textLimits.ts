/** What a text of HogQL may be: it is looked at before it is parsed. */
export interface TextLimits {
  maxBytes: number;
  /** Words, numbers and signs. */
  maxTokens: number;
  /** Levels of brackets, CASE, NOT, lambdas and members. */
  maxDepth: number;
  /** Longest parse. */
  parseMs: number;
}

/** Those of the settings. */
export const textLimitsOf = (config: {
  queryTextMaxBytes: number;
  queryTextMaxTokens: number;
  queryTextMaxDepth: number;
  queryParseTimeoutMs: number;
}): TextLimits => ({
  maxBytes: config.queryTextMaxBytes,
  maxTokens: config.queryTextMaxTokens,
  maxDepth: config.queryTextMaxDepth,
  parseMs: config.queryParseTimeoutMs,
});
