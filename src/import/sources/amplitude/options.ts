/** What an import from Amplitude is told. */
export interface AmplitudeOptions {
  files: readonly string[];
  api: AmplitudeApi | null;
}

export interface AmplitudeApi {
  /** Without a slash at the end. */
  url: string;
  apiKey: string;
  secretKey: string;
  /** Days `2024-01-31` of the upload, the last one included. */
  from: string;
  to: string;
}
