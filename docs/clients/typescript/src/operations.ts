// Generated from the schema and operations.graphql by `go tool task generate`. Do not edit.

import type { Operation } from "./client.js";

/** An application in which people sign in with their account here. */
export interface Application {
  id: string;
  name: string;
}

/** One page of the audit log, newest first. */
export interface AuditConnection {
  edges: AuditEdge[];
  pageInfo: PageInfo;
}

/** An audit entry with its cursor. */
export interface AuditEdge {
  cursor: string;
  node: AuditEntry;
}

/** A security-relevant action. */
export interface AuditEntry {
  id: string;
  at: Time;
  /** Null when nobody was signed in. */
  actor: string | null;
  action: string;
  /** ID of what the action changed. Null if there is none. */
  target: string | null;
  ip: string;
  detail: string;
}

/** The result of a sign-in. A browser also gets the tokens as cookies. */
export interface AuthPayload {
  accessToken: string;
  /** Seconds until accessToken expires. */
  expiresIn: number;
  /** Opaque; each refresh returns the next one. */
  refreshToken: string;
  session: Session;
  user: User;
}

/** An application that signs people in with their accounts here: an OpenID client. */
export interface Client {
  /** The client_id. */
  id: string;
  /** As people see it. */
  name: string;
  /** Where people return from signing in. They must match exactly, except for the port of http://127.0.0.1. */
  redirectUris: string[];
  /** Where people may return from signing out. */
  postLogoutRedirectUris: string[];
  /** It cannot keep a secret. */
  public: boolean;
  /** Users are not asked for consent, and it may do everything that its user may. */
  firstParty: boolean;
  /** A code needs PKCE. */
  pkce: boolean;
  /** How well users must have proved who they are: urn:octavo:1, urn:octavo:2 or phr; null: in any way. */
  requireAcr: string | null;
  /** RS256 or ES512. */
  idTokenAlg: string;
  /** Is told by the server of sessions that have ended. */
  backchannelLogoutUri: string | null;
  /** Is loaded when somebody signs out. */
  frontchannelLogoutUri: string | null;
  logoUri: string | null;
  policyUri: string | null;
  termsUri: string | null;
  /** How many seconds access tokens are valid; null: as for all. */
  accessLifetime: number | null;
  /** How many seconds people stay signed in to it at most; null: as for all. */
  sessionLifetime: number | null;
  createdAt: Time;
  /** Until when the secret of before works; null if there is none. */
  previousSecretUntil: Time | null;
}

/** What an application is set to. What is left out stays, a list that is given replaces the one before, and an empty text takes a value away. */
export interface ClientInput {
  name?: string | null;
  redirectUris?: string[] | null;
  postLogoutRedirectUris?: string[] | null;
  public?: boolean | null;
  firstParty?: boolean | null;
  pkce?: boolean | null;
  requireAcr?: string | null;
  idTokenAlg?: string | null;
  backchannelLogoutUri?: string | null;
  frontchannelLogoutUri?: string | null;
  logoUri?: string | null;
  policyUri?: string | null;
  termsUri?: string | null;
  /** 60 to 86400; 0 takes it away. */
  accessLifetime?: number | null;
  /** 300 to 31536000; 0 takes it away. */
  sessionLifetime?: number | null;
}

/** An application after a change, with its secret if that is new. */
export interface ClientPayload {
  client: Client;
  /** The client_secret, if there is a new one. Shown this once. */
  secret: string | null;
}

/** An external sign-in, at a university or another service, that belongs to an account. */
export interface Identity {
  /** Names the identity in unlinkIdentity. */
  id: string;
  /** The name of the service in the settings, as in /auth/oidc/NAME. */
  provider: string;
  /** As the service gave it when the identity was linked; null if it gave none. It need not be the account's. */
  email: string | null;
  /** When it was linked. */
  createdAt: Time;
}

/** A service at which people may sign in. A browser starts at /auth/oidc/NAME, with ?next= for where to return. */
export interface IdentityProvider {
  name: string;
  /** For people. */
  label: string;
}

/** An invitation to activate an account that an admin has created. */
export interface Invitation {
  id: string;
  email: string;
  userId: string;
  invitedBy: string;
  createdAt: Time;
  expiresAt: Time;
  /** Null until it is accepted. */
  acceptedAt: Time | null;
}

/** Any JSON value. */
export type Json = unknown;

/** Language of the mails sent to this person. */
export type Lang = "EN" | "FR";

/** A program that calls resources in its own name. */
export interface Machine {
  /** The client_id. */
  id: string;
  name: string;
  /** The ids of the resources that it may call. */
  resources: string[];
  /** Those that it may ask for, as far as a resource has them. */
  scopes: string[];
  /** Its public keys, as a JWKS in JSON, if it signs with keys that are registered here. */
  jwks: string | null;
  /** The address of its public keys, if it publishes them. */
  jwksUri: string | null;
  createdAt: Time;
  /** Until when the secret of before works; null if there is none. */
  previousSecretUntil: Time | null;
}

/** What a machine is set to. What is left out stays, a list that is given replaces the one before, and an empty text takes keys away. */
export interface MachineInput {
  name?: string | null;
  resources?: string[] | null;
  scopes?: string[] | null;
  jwks?: string | null;
  jwksUri?: string | null;
}

/** A machine after a change, with its secret if that is new. A machine with keys has none. */
export interface MachinePayload {
  machine: Machine;
  /** The client_secret. Shown this once. */
  secret: string | null;
}

/** Whether there is another page, and where it begins. */
export interface PageInfo {
  hasNextPage: boolean;
  /** The value for the argument after. Null on an empty page. */
  endCursor: string | null;
}

/** A credential with which its owner signs in without a password (WebAuthn). */
export interface Passkey {
  /** Names the passkey in removePasskey. */
  id: string;
  /** The name that its owner gave it. */
  name: string;
  /** When it was added. */
  createdAt: Time;
  /** The last sign-in with it; null before the first. */
  lastUsedAt: Time | null;
}

/** What a browser needs to ask its user for a passkey. It is valid for 5 minutes, for one answer and for the browser that began. */
export interface PasskeyCeremony {
  /** Send it back with the response. */
  id: string;
  /** What navigator.credentials.create or .get wants, as JSON: { publicKey: … }, with bytes in base64url as PublicKeyCredential's parse…FromJSON methods read them. */
  options: Json;
}

/** A personal access token: a session that its owner has made for a script. Its text begins with oct_ and is shown once. */
export interface PersonalToken {
  /** Names the token in revokeToken. */
  id: string;
  /** The name that its owner gave it. */
  name: string;
  /** openid, email, profile: what it may read of its owner. market: it may use the JSON API as its owner. */
  scopes: string[];
  createdAt: Time;
  expiresAt: Time;
  /** The last use, to the minute; null before the first. */
  lastUsedAt: Time | null;
}

/** An API that machines and applications call with tokens for it alone. */
export interface Resource {
  /** With which it introspects tokens, together with its secret. */
  id: string;
  name: string;
  /** The audience of its tokens: an absolute URI. */
  identifier: string;
  /** What callers may do there. */
  scopes: string[];
  createdAt: Time;
  /** Until when the secret of before works; null if there is none. */
  previousSecretUntil: Time | null;
}

/** What a resource is set to. What is left out stays, and a list that is given replaces the one before. */
export interface ResourceInput {
  name?: string | null;
  identifier?: string | null;
  scopes?: string[] | null;
}

/** A resource after a change, with its secret if that is new. */
export interface ResourcePayload {
  resource: Resource;
  /** Shown this once. */
  secret: string | null;
}

/** permissionType 0, 1 and 2 of the marketplace. A higher role may do everything that a lower one may. */
export type Role = "USER" | "ADMIN" | "OWNER";

/** One sign-in on one device. */
export interface Session {
  id: string;
  /** True for the session that made this request. */
  current: boolean;
  createdAt: Time;
  /** Accurate to the minute; exact if another session of the user was used since. */
  lastSeenAt: Time;
  /** When it expires if it is not used again. */
  expiresAt: Time;
  ip: string;
  userAgent: string;
  /** Parsed from userAgent; null if it is not known. */
  browser: string | null;
  /** Parsed from userAgent; null if it is not known. */
  os: string | null;
  /** Parsed from userAgent; null if it is not known. */
  device: string | null;
  /** The application that the session was started for; null for Octavo's own. */
  application: Application | null;
}

/**
 * Which ways to sign in there are besides identityProviders. With SIGN_IN=sso there are none: signIn, signInWithCode, finishPasskeySignIn,
 * resetPassword and acceptInvitation answer SSO_REQUIRED.
 */
export interface SignInOptions {
  password: boolean;
  /** By signInWithCode. */
  code: boolean;
  passkey: boolean;
  /** Whether signUp is open. */
  signUp: boolean;
  /** Whether a newcomer who signs in at an external service gets an account. */
  externalSignUp: boolean;
}

/** RFC 3339, UTC. */
export type Time = string;

/** If the text is not a valid access token of an active session, active is false and everything else is null. */
export interface TokenInfo {
  active: boolean;
  userId: string | null;
  sessionId: string | null;
  role: Role | null;
  expiresAt: Time | null;
}

/** What an authenticator app needs. qrSvg is the uri as an SVG image that needs no other file. */
export interface TotpSetup {
  secret: string;
  uri: string;
  qrSvg: string;
}

/** An account. */
export interface User {
  id: string;
  email: string;
  verified: boolean;
  role: Role;
  createdAt: Time;
  /** Active sessions, most recently used first. Null for everybody except the user and the admins who look after the user. */
  sessions: Session[] | null;
  /** What the user wants to be called. Null without one. */
  name: string | null;
  /** A JSON object of at most 1 KB that admins have set. Access tokens have a copy as claim meta. Null without one, and for everybody except the user and admins. */
  metadata: Json | null;
  /** An admin has suspended the account: no sign-in, no sessions, no books for sale. */
  suspended: boolean;
  /** External sign-ins, oldest first. Null for everybody except the user. */
  identities: Identity[] | null;
  /** Free names, in alphabetical order, that applications learn as claim roles. They mean nothing to Octavo, unlike role. */
  roles: string[];
  /** Free names, in alphabetical order, that applications learn as claim groups. */
  groups: string[];
  /** Passkeys of the account, oldest first. Null for everybody except the user. */
  passkeys: Passkey[] | null;
  /** Whether signing in takes a second factor. */
  totpEnabled: boolean;
  /** How many recovery codes are left. Null for everybody except the user, and while the second factor is off. */
  recoveryCodesLeft: number | null;
  /** Personal access tokens that are neither expired nor revoked, oldest first. Null for everybody except the user. */
  tokens: PersonalToken[] | null;
}

/** One page of users, newest first. */
export interface UserConnection {
  edges: UserEdge[];
  pageInfo: PageInfo;
}

/** A user with its cursor. */
export interface UserEdge {
  cursor: string;
  node: User;
}

export type MeVariables = Record<string, never>;

export interface MeData {
  me: {
    id: string;
    email: string;
    verified: boolean;
    role: Role;
    createdAt: Time;
  };
}

export const Me: Operation<MeData, MeVariables> = {
  name: "Me",
  document: `query Me {
  me {
    ... Account
  }
}
fragment Account on User {
  id
  email
  verified
  role
  createdAt
}`,
};

export type SignInWaysVariables = Record<string, never>;

export interface SignInWaysData {
  signInOptions: {
    password: boolean;
    code: boolean;
    passkey: boolean;
    signUp: boolean;
    externalSignUp: boolean;
  };
  identityProviders: ({
    name: string;
    label: string;
  })[];
}

export const SignInWays: Operation<SignInWaysData, SignInWaysVariables> = {
  name: "SignInWays",
  document: `query SignInWays {
  signInOptions {
    password
    code
    passkey
    signUp
    externalSignUp
  }
  identityProviders {
    name
    label
  }
}`,
};

export type SessionsVariables = Record<string, never>;

export interface SessionsData {
  me: {
    id: string;
    sessions: ({
      id: string;
      current: boolean;
      createdAt: Time;
      lastSeenAt: Time;
      expiresAt: Time;
      ip: string;
      browser: string | null;
      os: string | null;
      device: string | null;
    })[] | null;
  };
}

export const Sessions: Operation<SessionsData, SessionsVariables> = {
  name: "Sessions",
  document: `query Sessions {
  me {
    id
    sessions {
      ... Device
    }
  }
}
fragment Device on Session {
  id
  current
  createdAt
  lastSeenAt
  expiresAt
  ip
  browser
  os
  device
}`,
};

export interface TokenInfoVariables {
  token: string;
}

export interface TokenInfoData {
  tokenInfo: {
    active: boolean;
    userId: string | null;
    sessionId: string | null;
    role: Role | null;
    expiresAt: Time | null;
  };
}

export const TokenInfo: Operation<TokenInfoData, TokenInfoVariables> = {
  name: "TokenInfo",
  document: `query TokenInfo ($token: String!) {
  tokenInfo(token: $token) {
    active
    userId
    sessionId
    role
    expiresAt
  }
}`,
};

export interface UsersVariables {
  first?: number | null;
  after?: string | null;
  search?: string | null;
}

export interface UsersData {
  users: {
    edges: ({
      node: {
        id: string;
        email: string;
        verified: boolean;
        role: Role;
        createdAt: Time;
      };
    })[];
    pageInfo: {
      hasNextPage: boolean;
      endCursor: string | null;
    };
  };
}

export const Users: Operation<UsersData, UsersVariables> = {
  name: "Users",
  document: `query Users ($first: Int, $after: String, $search: String) {
  users(first: $first, after: $after, search: $search) {
    edges {
      node {
        ... Account
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
fragment Account on User {
  id
  email
  verified
  role
  createdAt
}`,
};

export interface SignUpVariables {
  email: string;
  password: string;
  lang?: Lang | null;
}

export interface SignUpData {
  signUp: boolean;
}

export const SignUp: Operation<SignUpData, SignUpVariables> = {
  name: "SignUp",
  document: `mutation SignUp ($email: String!, $password: String!, $lang: Lang) {
  signUp(email: $email, password: $password, lang: $lang)
}`,
};

export interface VerifyEmailVariables {
  email: string;
  code: string;
}

export interface VerifyEmailData {
  verifyEmail: boolean;
}

export const VerifyEmail: Operation<VerifyEmailData, VerifyEmailVariables> = {
  name: "VerifyEmail",
  document: `mutation VerifyEmail ($email: String!, $code: String!) {
  verifyEmail(email: $email, code: $code)
}`,
};

export interface ResendVerificationVariables {
  email: string;
  lang?: Lang | null;
}

export interface ResendVerificationData {
  resendVerification: boolean;
}

export const ResendVerification: Operation<ResendVerificationData, ResendVerificationVariables> = {
  name: "ResendVerification",
  document: `mutation ResendVerification ($email: String!, $lang: Lang) {
  resendVerification(email: $email, lang: $lang)
}`,
};

export interface SignInVariables {
  email: string;
  password: string;
  remember?: boolean | null;
}

export interface SignInData {
  signIn: {
    accessToken: string;
    expiresIn: number;
    refreshToken: string;
    session: {
      id: string;
      current: boolean;
      createdAt: Time;
      lastSeenAt: Time;
      expiresAt: Time;
      ip: string;
      browser: string | null;
      os: string | null;
      device: string | null;
    };
    user: {
      id: string;
      email: string;
      verified: boolean;
      role: Role;
      createdAt: Time;
    };
  };
}

export const SignIn: Operation<SignInData, SignInVariables> = {
  name: "SignIn",
  document: `mutation SignIn ($email: String!, $password: String!, $remember: Boolean) {
  signIn(email: $email, password: $password, remember: $remember) {
    ... SignedIn
  }
}
fragment Account on User {
  id
  email
  verified
  role
  createdAt
}
fragment Device on Session {
  id
  current
  createdAt
  lastSeenAt
  expiresAt
  ip
  browser
  os
  device
}
fragment SignedIn on AuthPayload {
  accessToken
  expiresIn
  refreshToken
  session {
    ... Device
  }
  user {
    ... Account
  }
}`,
};

export interface RefreshSessionVariables {
  refreshToken?: string | null;
}

export interface RefreshSessionData {
  refreshSession: {
    accessToken: string;
    expiresIn: number;
    refreshToken: string;
    session: {
      id: string;
      current: boolean;
      createdAt: Time;
      lastSeenAt: Time;
      expiresAt: Time;
      ip: string;
      browser: string | null;
      os: string | null;
      device: string | null;
    };
    user: {
      id: string;
      email: string;
      verified: boolean;
      role: Role;
      createdAt: Time;
    };
  };
}

export const RefreshSession: Operation<RefreshSessionData, RefreshSessionVariables> = {
  name: "RefreshSession",
  document: `mutation RefreshSession ($refreshToken: String) {
  refreshSession(refreshToken: $refreshToken) {
    ... SignedIn
  }
}
fragment Account on User {
  id
  email
  verified
  role
  createdAt
}
fragment Device on Session {
  id
  current
  createdAt
  lastSeenAt
  expiresAt
  ip
  browser
  os
  device
}
fragment SignedIn on AuthPayload {
  accessToken
  expiresIn
  refreshToken
  session {
    ... Device
  }
  user {
    ... Account
  }
}`,
};

export type SignOutVariables = Record<string, never>;

export interface SignOutData {
  signOut: boolean;
}

export const SignOut: Operation<SignOutData, SignOutVariables> = {
  name: "SignOut",
  document: `mutation SignOut {
  signOut
}`,
};

export interface RevokeSessionVariables {
  id: string;
}

export interface RevokeSessionData {
  revokeSession: boolean;
}

export const RevokeSession: Operation<RevokeSessionData, RevokeSessionVariables> = {
  name: "RevokeSession",
  document: `mutation RevokeSession ($id: ID!) {
  revokeSession(id: $id)
}`,
};

export type RevokeOtherSessionsVariables = Record<string, never>;

export interface RevokeOtherSessionsData {
  revokeOtherSessions: number;
}

export const RevokeOtherSessions: Operation<RevokeOtherSessionsData, RevokeOtherSessionsVariables> = {
  name: "RevokeOtherSessions",
  document: `mutation RevokeOtherSessions {
  revokeOtherSessions
}`,
};

export interface RequestPasswordResetVariables {
  email: string;
  lang?: Lang | null;
}

export interface RequestPasswordResetData {
  requestPasswordReset: boolean;
}

export const RequestPasswordReset: Operation<RequestPasswordResetData, RequestPasswordResetVariables> = {
  name: "RequestPasswordReset",
  document: `mutation RequestPasswordReset ($email: String!, $lang: Lang) {
  requestPasswordReset(email: $email, lang: $lang)
}`,
};

export interface ResetPasswordVariables {
  email: string;
  code: string;
  newPassword: string;
}

export interface ResetPasswordData {
  resetPassword: boolean;
}

export const ResetPassword: Operation<ResetPasswordData, ResetPasswordVariables> = {
  name: "ResetPassword",
  document: `mutation ResetPassword ($email: String!, $code: String!, $newPassword: String!) {
  resetPassword(email: $email, code: $code, newPassword: $newPassword)
}`,
};

export interface ChangePasswordVariables {
  currentPassword: string;
  newPassword: string;
}

export interface ChangePasswordData {
  changePassword: boolean;
}

export const ChangePassword: Operation<ChangePasswordData, ChangePasswordVariables> = {
  name: "ChangePassword",
  document: `mutation ChangePassword ($currentPassword: String!, $newPassword: String!) {
  changePassword(currentPassword: $currentPassword, newPassword: $newPassword)
}`,
};

export interface InviteUserVariables {
  email: string;
  lang?: Lang | null;
}

export interface InviteUserData {
  inviteUser: string;
}

export const InviteUser: Operation<InviteUserData, InviteUserVariables> = {
  name: "InviteUser",
  document: `mutation InviteUser ($email: String!, $lang: Lang) {
  inviteUser(email: $email, lang: $lang)
}`,
};

export interface AcceptInvitationVariables {
  token: string;
  password?: string | null;
}

export interface AcceptInvitationData {
  acceptInvitation: {
    accessToken: string;
    expiresIn: number;
    refreshToken: string;
    session: {
      id: string;
      current: boolean;
      createdAt: Time;
      lastSeenAt: Time;
      expiresAt: Time;
      ip: string;
      browser: string | null;
      os: string | null;
      device: string | null;
    };
    user: {
      id: string;
      email: string;
      verified: boolean;
      role: Role;
      createdAt: Time;
    };
  };
}

export const AcceptInvitation: Operation<AcceptInvitationData, AcceptInvitationVariables> = {
  name: "AcceptInvitation",
  document: `mutation AcceptInvitation ($token: String!, $password: String) {
  acceptInvitation(token: $token, password: $password) {
    ... SignedIn
  }
}
fragment Account on User {
  id
  email
  verified
  role
  createdAt
}
fragment Device on Session {
  id
  current
  createdAt
  lastSeenAt
  expiresAt
  ip
  browser
  os
  device
}
fragment SignedIn on AuthPayload {
  accessToken
  expiresIn
  refreshToken
  session {
    ... Device
  }
  user {
    ... Account
  }
}`,
};

export type BeginPasskeySignInVariables = Record<string, never>;

export interface BeginPasskeySignInData {
  beginPasskeySignIn: {
    id: string;
    options: Json;
  };
}

export const BeginPasskeySignIn: Operation<BeginPasskeySignInData, BeginPasskeySignInVariables> = {
  name: "BeginPasskeySignIn",
  document: `mutation BeginPasskeySignIn {
  beginPasskeySignIn {
    id
    options
  }
}`,
};

export interface FinishPasskeySignInVariables {
  id: string;
  response: Json;
  remember?: boolean | null;
}

export interface FinishPasskeySignInData {
  finishPasskeySignIn: {
    accessToken: string;
    expiresIn: number;
    refreshToken: string;
    session: {
      id: string;
      current: boolean;
      createdAt: Time;
      lastSeenAt: Time;
      expiresAt: Time;
      ip: string;
      browser: string | null;
      os: string | null;
      device: string | null;
    };
    user: {
      id: string;
      email: string;
      verified: boolean;
      role: Role;
      createdAt: Time;
    };
  };
}

export const FinishPasskeySignIn: Operation<FinishPasskeySignInData, FinishPasskeySignInVariables> = {
  name: "FinishPasskeySignIn",
  document: `mutation FinishPasskeySignIn ($id: ID!, $response: JSON!, $remember: Boolean) {
  finishPasskeySignIn(id: $id, response: $response, remember: $remember) {
    ... SignedIn
  }
}
fragment Account on User {
  id
  email
  verified
  role
  createdAt
}
fragment Device on Session {
  id
  current
  createdAt
  lastSeenAt
  expiresAt
  ip
  browser
  os
  device
}
fragment SignedIn on AuthPayload {
  accessToken
  expiresIn
  refreshToken
  session {
    ... Device
  }
  user {
    ... Account
  }
}`,
};

export interface BeginPasskeyRegistrationVariables {
  name: string;
}

export interface BeginPasskeyRegistrationData {
  beginPasskeyRegistration: {
    id: string;
    options: Json;
  };
}

export const BeginPasskeyRegistration: Operation<BeginPasskeyRegistrationData, BeginPasskeyRegistrationVariables> = {
  name: "BeginPasskeyRegistration",
  document: `mutation BeginPasskeyRegistration ($name: String!) {
  beginPasskeyRegistration(name: $name) {
    id
    options
  }
}`,
};

export interface FinishPasskeyRegistrationVariables {
  id: string;
  response: Json;
}

export interface FinishPasskeyRegistrationData {
  finishPasskeyRegistration: {
    id: string;
    name: string;
    createdAt: Time;
    lastUsedAt: Time | null;
  };
}

export const FinishPasskeyRegistration: Operation<FinishPasskeyRegistrationData, FinishPasskeyRegistrationVariables> = {
  name: "FinishPasskeyRegistration",
  document: `mutation FinishPasskeyRegistration ($id: ID!, $response: JSON!) {
  finishPasskeyRegistration(id: $id, response: $response) {
    id
    name
    createdAt
    lastUsedAt
  }
}`,
};

export interface CompleteSignInVariables {
  challenge: string;
  code: string;
  remember?: boolean | null;
}

export interface CompleteSignInData {
  completeSignIn: {
    accessToken: string;
    expiresIn: number;
    refreshToken: string;
    session: {
      id: string;
      current: boolean;
      createdAt: Time;
      lastSeenAt: Time;
      expiresAt: Time;
      ip: string;
      browser: string | null;
      os: string | null;
      device: string | null;
    };
    user: {
      id: string;
      email: string;
      verified: boolean;
      role: Role;
      createdAt: Time;
    };
  };
}

export const CompleteSignIn: Operation<CompleteSignInData, CompleteSignInVariables> = {
  name: "CompleteSignIn",
  document: `mutation CompleteSignIn ($challenge: String!, $code: String!, $remember: Boolean) {
  completeSignIn(challenge: $challenge, code: $code, remember: $remember) {
    ... SignedIn
  }
}
fragment Account on User {
  id
  email
  verified
  role
  createdAt
}
fragment Device on Session {
  id
  current
  createdAt
  lastSeenAt
  expiresAt
  ip
  browser
  os
  device
}
fragment SignedIn on AuthPayload {
  accessToken
  expiresIn
  refreshToken
  session {
    ... Device
  }
  user {
    ... Account
  }
}`,
};

export interface RequestSignInCodeVariables {
  email: string;
  lang?: Lang | null;
}

export interface RequestSignInCodeData {
  requestSignInCode: boolean;
}

export const RequestSignInCode: Operation<RequestSignInCodeData, RequestSignInCodeVariables> = {
  name: "RequestSignInCode",
  document: `mutation RequestSignInCode ($email: String!, $lang: Lang) {
  requestSignInCode(email: $email, lang: $lang)
}`,
};

export interface SignInWithCodeVariables {
  email: string;
  code: string;
  remember?: boolean | null;
}

export interface SignInWithCodeData {
  signInWithCode: {
    accessToken: string;
    expiresIn: number;
    refreshToken: string;
    session: {
      id: string;
      current: boolean;
      createdAt: Time;
      lastSeenAt: Time;
      expiresAt: Time;
      ip: string;
      browser: string | null;
      os: string | null;
      device: string | null;
    };
    user: {
      id: string;
      email: string;
      verified: boolean;
      role: Role;
      createdAt: Time;
    };
  };
}

export const SignInWithCode: Operation<SignInWithCodeData, SignInWithCodeVariables> = {
  name: "SignInWithCode",
  document: `mutation SignInWithCode ($email: String!, $code: String!, $remember: Boolean) {
  signInWithCode(email: $email, code: $code, remember: $remember) {
    ... SignedIn
  }
}
fragment Account on User {
  id
  email
  verified
  role
  createdAt
}
fragment Device on Session {
  id
  current
  createdAt
  lastSeenAt
  expiresAt
  ip
  browser
  os
  device
}
fragment SignedIn on AuthPayload {
  accessToken
  expiresIn
  refreshToken
  session {
    ... Device
  }
  user {
    ... Account
  }
}`,
};

export interface ReauthenticateVariables {
  password?: string | null;
  code?: string | null;
}

export interface ReauthenticateData {
  reauthenticate: boolean;
}

export const Reauthenticate: Operation<ReauthenticateData, ReauthenticateVariables> = {
  name: "Reauthenticate",
  document: `mutation Reauthenticate ($password: String, $code: String) {
  reauthenticate(password: $password, code: $code)
}`,
};

export type StartTotpVariables = Record<string, never>;

export interface StartTotpData {
  startTotp: {
    secret: string;
    uri: string;
    qrSvg: string;
  };
}

export const StartTotp: Operation<StartTotpData, StartTotpVariables> = {
  name: "StartTotp",
  document: `mutation StartTotp {
  startTotp {
    secret
    uri
    qrSvg
  }
}`,
};

export interface ConfirmTotpVariables {
  code: string;
}

export interface ConfirmTotpData {
  confirmTotp: string[];
}

export const ConfirmTotp: Operation<ConfirmTotpData, ConfirmTotpVariables> = {
  name: "ConfirmTotp",
  document: `mutation ConfirmTotp ($code: String!) {
  confirmTotp(code: $code)
}`,
};

export interface DisableTotpVariables {
  code: string;
}

export interface DisableTotpData {
  disableTotp: boolean;
}

export const DisableTotp: Operation<DisableTotpData, DisableTotpVariables> = {
  name: "DisableTotp",
  document: `mutation DisableTotp ($code: String!) {
  disableTotp(code: $code)
}`,
};
