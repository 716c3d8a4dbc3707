package market

import (
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
)

// Person is somebody as others see them in a conversation.
type Person struct {
	ID        user.ID
	FirstName string // empty if Left
	Left      bool   // the account is suspended or deleted, or will be
}

// Person returns what the other side of a conversation sees of a user.
func (u User) Person() Person {
	if u.MayTrade() != nil {
		return Person{ID: u.ID, Left: true}
	}
	return Person{ID: u.ID, FirstName: u.Profile.FirstName}
}

// MessageView is a message with its author.
type MessageView struct {
	conversation.Message
	Author Person
}

// People returns one of the two people as others see them, and the other one.
func (v ConversationView) People(of user.ID) (self, other Person) {
	seller, buyer := v.SellerUser.Person(), v.BuyerUser.Person()
	if of == v.Seller.User {
		return seller, buyer
	}
	return buyer, seller
}

// View returns a message of the conversation with its author.
func (v ConversationView) View(m conversation.Message) MessageView {
	author, _ := v.People(m.From)
	return MessageView{m, author}
}

// ConversationView is a conversation for display.
type ConversationView struct {
	conversation.Conversation
	BookName              string
	SellerUser, BuyerUser User // as they are now
	Newest                conversation.Message
}
