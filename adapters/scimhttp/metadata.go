package scimhttp

import "net/http"

// object is one of the service's own descriptions.
type object = map[string]any

// serviceProviderConfig serves what the service can do (RFC 7643, section 5).
func (h *Handler) serviceProviderConfig(w http.ResponseWriter, _ *http.Request) error {
	no := object{"supported": false}
	writeJSON(w, http.StatusOK, object{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"},
		"patch":   object{"supported": true}, "etag": object{"supported": true},
		"filter": object{"supported": true, "maxResults": maxPage},
		"bulk":   object{"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
		"sort":   no, "changePassword": no,
		"authenticationSchemes": []object{{
			"type": "oauthbearertoken", "name": "Bearer token", "description": "The value of SCIM_TOKEN.", "primary": true,
		}},
		"meta": object{"resourceType": "ServiceProviderConfig", "location": h.BaseURL + Base + "/ServiceProviderConfig"},
	})
	return nil
}

func (h *Handler) userType() object {
	return object{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:ResourceType"}, "id": "User", "name": "User", "endpoint": "/Users",
		"description": "Accounts", "schema": userSchema,
		"meta": object{"resourceType": "ResourceType", "location": h.BaseURL + Base + "/ResourceTypes/User"},
	}
}

func (h *Handler) resourceTypes(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, newList(1, 1, []any{h.userType()}))
	return nil
}

func (h *Handler) resourceType(w http.ResponseWriter, r *http.Request) error {
	if r.PathValue("id") != "User" {
		return errNothing
	}
	writeJSON(w, http.StatusOK, h.userType())
	return nil
}

// attribute describes an attribute (RFC 7643, section 7).
func attribute(name, kind, description string, more ...object) object {
	a := object{
		"name": name, "type": kind, "description": description, "multiValued": false, "required": false, "caseExact": false,
		"mutability": "readWrite", "returned": "default", "uniqueness": "none",
	}
	for _, m := range more {
		for k, v := range m {
			a[k] = v
		}
	}
	return a
}

func (h *Handler) userAttributes() object {
	return object{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:Schema"}, "id": userSchema, "name": "User", "description": "Accounts",
		"attributes": []object{
			attribute("userName", "string", "The address of the account.", object{"required": true, "uniqueness": "server"}),
			attribute("name", "complex", "The person's name.", object{"subAttributes": []object{
				attribute("formatted", "string", "How the person is called."),
				attribute("givenName", "string", "Given names."), attribute("familyName", "string", "Family names."),
			}}),
			attribute("displayName", "string", "How the person is called; the same as name.formatted."),
			attribute("preferredLanguage", "string", "Language of mails: en or fr."),
			attribute("active", "boolean", "false: the account is suspended, and its sessions have ended."),
			attribute("emails", "complex", "The address of the account, which userName sets.", object{
				"multiValued": true, "mutability": "readOnly", "subAttributes": []object{
					attribute("value", "string", "The address.", object{"mutability": "readOnly"}),
					attribute("type", "string", "work", object{"mutability": "readOnly"}),
					attribute("primary", "boolean", "true", object{"mutability": "readOnly"}),
				},
			}),
		},
		"meta": object{"resourceType": "Schema", "location": h.BaseURL + Base + "/Schemas/" + userSchema},
	}
}

func (h *Handler) schemas(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, newList(1, 1, []any{h.userAttributes()}))
	return nil
}

func (h *Handler) schema(w http.ResponseWriter, r *http.Request) error {
	if r.PathValue("id") != userSchema {
		return errNothing
	}
	writeJSON(w, http.StatusOK, h.userAttributes())
	return nil
}
