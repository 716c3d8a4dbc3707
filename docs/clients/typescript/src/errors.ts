/** What kind of failure it is. The schema describes each code; servers may add some. */
export type Code =
  | "UNAUTHENTICATED" | "FORBIDDEN" | "INVALID_CREDENTIALS" | "SECOND_FACTOR_REQUIRED" | "SUSPENDED"
  | "EMAIL_INVALID" | "PASSWORD_INVALID" | "CODE_INVALID" | "CHALLENGE_INVALID" | "PASSKEY_INVALID" | "SESSION_INVALID"
  | "REGISTRATION_DISABLED" | "SSO_REQUIRED" | "RATE_LIMITED" | "NOT_FOUND" | "CANNOT_DELETE_SELF"
  | "QUERY_TOO_COMPLEX" | "BAD_REQUEST" | "UNAVAILABLE" | "INTERNAL"
  /** The server could not be reached, or what answered is not Octavo. */
  | "NO_ANSWER"
  | (string & {});

/** A failure of an operation. Its message is for people. */
export class OctavoError extends Error {
  override readonly name = "OctavoError";

  constructor(
    message: string,
    readonly code: Code,
    /** All that the server says about it, such as the challenge of SECOND_FACTOR_REQUIRED. */
    readonly extensions: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Of RATE_LIMITED and UNAVAILABLE: in how many seconds to try again. */
  get retryAfter(): number | undefined {
    const seconds = this.extensions["retryAfter"];
    return typeof seconds === "number" ? seconds : undefined;
  }

  /** Whether a new access token may help. Where the server wants a fresh proof, it does not. */
  get isExpired(): boolean {
    return this.code === "UNAUTHENTICATED" && this.extensions["reason"] === undefined;
  }
}

/** The error in the body of a response, undefined if there is none. */
export function errorOf(body: unknown): OctavoError | undefined {
  const errors = (body as { errors?: unknown } | null)?.errors;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const { message, extensions } = errors[0] as { message?: unknown; extensions?: Record<string, unknown> };
  return new OctavoError(String(message), String(extensions?.["code"] ?? "INTERNAL"), extensions);
}
