package market

import (
	"encoding/json"
	"time"
)

// Exported has a user's data in the market. Amounts and statuses are those of the JSON API.
// People keep exports, so fields may be added, but neither renamed nor removed.
type Exported struct {
	Currency       string                 `json:"currency"`
	Books          []ExportedBook         `json:"books"`
	Requests       []ExportedRequest      `json:"requests"`
	Purchases      []ExportedOrder        `json:"purchases"`
	Sales          []ExportedOrder        `json:"sales"`
	Cart           []ExportedCartItem     `json:"cart"`
	Notifications  []ExportedNotification `json:"notifications"`
	Reports        []ExportedReport       `json:"reports"`
	Ratings        []ExportedRating       `json:"ratings"`
	Meetings       []ExportedMeeting      `json:"meetings"` // that the user has proposed
	Offers         []ExportedOffer        `json:"offers"`
	OffersReceived []ExportedOffer        `json:"offersReceived"`
	SavedSearches  []ExportedSearch       `json:"savedSearches"`
	LastFile       *ExportedFile          `json:"lastFile"` // nil: none
	Courses        []ExportedCourse       `json:"courses"`
	Conversations  []ExportedConversation `json:"conversations"`
	Messages       []ExportedMessage      `json:"messages"` // that the user has written
	Blocked        []ExportedBlock        `json:"blocked"`
	Truncated      []string               `json:"truncated"` // names of the lists that have only the newest entries
}

// ExportedBook is a book that the user has posted.
type ExportedBook struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Course     string          `json:"course"`
	ISBN       string          `json:"isbn"`
	Edition    int             `json:"edition"`
	Condition  string          `json:"condition"`
	Price      json.Number     `json:"price"`
	Comments   string          `json:"comments"`
	University string          `json:"university"`
	Status     int             `json:"status"`
	Available  time.Time       `json:"available"`
	CreatedAt  time.Time       `json:"createdAt"`
	ListedAt   time.Time       `json:"listedAt"`
	Photos     []ExportedPhoto `json:"photos"`
}

// ExportedPhoto is a photo of a book; the path is that of the JPEG on this service.
type ExportedPhoto struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"`
	Width     int       `json:"width"`
	Height    int       `json:"height"`
	CreatedAt time.Time `json:"createdAt"`
}

// ExportedRequest is a request of the user.
type ExportedRequest struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Course    string      `json:"course"`
	ISBN      string      `json:"isbn"`
	Edition   int         `json:"edition"`
	MaxPrice  json.Number `json:"maxPrice"` // 0: any
	Status    int         `json:"status"`
	CreatedAt time.Time   `json:"createdAt"`
}

// ExportedOrder is an order without the name and address of the other side.
type ExportedOrder struct {
	ID          string      `json:"id"`
	BookID      string      `json:"bookId"`
	Name        string      `json:"name"`
	Price       json.Number `json:"price"`
	Fee         json.Number `json:"fee"`
	Status      int         `json:"status"`
	Reason      string      `json:"reason"` // of a cancellation
	CreatedAt   time.Time   `json:"createdAt"`
	VerifiedAt  *time.Time  `json:"verifiedAt"`
	DeliveredAt *time.Time  `json:"deliveredAt"`
	CancelledAt *time.Time  `json:"cancelledAt"`

	Settlement   string     `json:"settlement"` // operator or direct
	Handover     string     `json:"handover"`   // desk or meeting; empty: none yet
	HandedOverAt *time.Time `json:"handedOverAt"`
}

// ExportedCartItem is a book in the user's cart.
type ExportedCartItem struct {
	BookID  string    `json:"bookId"`
	Name    string    `json:"name"`
	AddedAt time.Time `json:"addedAt"`
}

// ExportedNotification is a notification of the user.
type ExportedNotification struct {
	Message   string     `json:"message"`
	CreatedAt time.Time  `json:"createdAt"`
	ReadAt    *time.Time `json:"readAt"`
}

// ExportedReport is a report that the user has made. What an admin decided about somebody else
// is not the user's.
type ExportedReport struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"` // book, person or conversation
	TargetID  string    `json:"targetId"`
	Reason    string    `json:"reason"`
	Text      string    `json:"text"`
	Open      bool      `json:"open"`
	CreatedAt time.Time `json:"createdAt"`
}

// ExportedFile is the last file of books that the user has checked on the pages.
type ExportedFile struct {
	Lines     int       `json:"lines"` // without errors
	Posted    int       `json:"posted"`
	CreatedAt time.Time `json:"createdAt"`
}

// ExportedCourse is a course that the user has chosen.
type ExportedCourse struct {
	ID         string    `json:"id"`
	University string    `json:"university"`
	Term       string    `json:"term"`
	Code       string    `json:"code"`
	Title      string    `json:"title"`
	ChosenAt   time.Time `json:"chosenAt"`
}

// ExportedSearch is a saved search of the user. An empty field or a price of 0 does not narrow it.
type ExportedSearch struct {
	ID         string      `json:"id"`
	Query      string      `json:"query"`
	University string      `json:"university"`
	Course     string      `json:"course"`
	Condition  string      `json:"condition"`
	MinPrice   json.Number `json:"minPrice"`
	MaxPrice   json.Number `json:"maxPrice"`
	Mail       bool        `json:"mail"`
	CreatedAt  time.Time   `json:"createdAt"`
}

// ExportedConversation is a conversation of the user.
type ExportedConversation struct {
	ID            string    `json:"id"`
	BookID        string    `json:"bookId"`
	BookName      string    `json:"bookName"`
	CreatedAt     time.Time `json:"createdAt"`
	LastMessageAt time.Time `json:"lastMessageAt"`
}

// ExportedMessage is a message that the user has written.
type ExportedMessage struct {
	ID             string     `json:"id"`
	ConversationID string     `json:"conversationId"`
	Text           string     `json:"text"`
	CreatedAt      time.Time  `json:"createdAt"`
	ReadAt         *time.Time `json:"readAt"`
}

// ExportedBlock is a person whom the user has blocked.
type ExportedBlock struct {
	UserID    string    `json:"userId"`
	CreatedAt time.Time `json:"createdAt"`
}

// ExportedOffer is an offer that the user has made or got.
type ExportedOffer struct {
	ID         string      `json:"id"`
	BookID     string      `json:"bookId"`
	Name       string      `json:"name"`
	Price      json.Number `json:"price"`
	Text       string      `json:"text"` // empty if another has written it
	State      string      `json:"state"`
	CreatedAt  time.Time   `json:"createdAt"`
	AnsweredAt *time.Time  `json:"answeredAt"`
	ValidUntil *time.Time  `json:"validUntil"`
}

// ExportedMeeting is a place and a time that the user has proposed for an order.
type ExportedMeeting struct {
	OrderID    string     `json:"orderId"`
	University string     `json:"university"`
	Place      string     `json:"place"`
	At         time.Time  `json:"at"`
	State      string     `json:"state"` // proposed, accepted, superseded or ended
	CreatedAt  time.Time  `json:"createdAt"`
	AcceptedAt *time.Time `json:"acceptedAt"`
}

// ExportedRating is what the user said about a sale.
type ExportedRating struct {
	OrderID     string    `json:"orderId"`
	AsDescribed bool      `json:"asDescribed"`
	Text        string    `json:"text"`
	CreatedAt   time.Time `json:"createdAt"`
}
