package web_test

import "testing"

func TestABuyerOffersLessOnThePageOfABook(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	id := ada.offers("Linear Algebra", "42,50")
	ben.open("/book?id="+id).shows(200, `href="/offers/make?book=`+id)
	ben.open("/offers/make?book="+id).shows(200, "“Linear Algebra” costs $42.50.")
	ben.send("/offers/make", "book", id, "price", "42,50", "text", "Today?").
		shows(400, "Offer less than the price of the book.", "Must be more than 0 and less than the price of the book.", `value="Today?"`)
	ben.send("/offers/make", "book", id, "price", "30", "text", "<b>Today?</b>").shows(200, "Offer sent.", "Your offer to Ada", "waiting for an answer").lacks("Accept")
	ada.open("/notifications").shows(200, "You have an offer for “Linear Algebra”.", `href="/offers"`)
	got := ada.open("/offers?role=seller").shows(200, "Offer from Ben", "$30.00", "instead of $42.50", "<b>Today?</b>", "waiting for your answer", "Accept", "Decline").lacks("Withdraw")
	offer := got.hidden("id")
	ada.send("/offers/counter", "id", offer, "price", "cheap").shows(400, "Send the counteroffer", "Back to the offers")
	ada.send("/offers/counter", "id", offer, "price", "35").shows(200, "Counteroffer sent.", "waiting for an answer")
	ben.open("/offers").shows(200, "waiting for your answer", "Counteroffer from Ada", "$35.00", "Accept", "Withdraw")
	ben.send("/offers/accept", "id", offer).shows(200, "Offer accepted.", "Add to cart")
	ben.open("/book?id="+id).shows(200, "Your offer of $35.00 was accepted").lacks("Make an offer")
	ben.send("/cart/add", "id", id, "back", "/cart").shows(200, "by your offer, instead of $42.50", "Buy for $36.75")
	ben.buys(id)
	ben.open("/purchases").shows(200, "$35.00 plus a fee of $1.75")
	ben.open("/offers").shows(200, "ended").lacks("Withdraw", "Accept")
}

func TestTheOffersOfOthersAreNotShown(t *testing.T) {
	c := newCampus(t)
	ada, ben, eve := c.student("Ada"), c.student("Ben"), c.student("Eve")
	id := ada.offers("Topology", "20")
	offer := ben.send("/offers/make", "book", id, "price", "15").shows(200).hidden("id")
	eve.open("/offers").shows(200, "No offers here yet.")
	for _, act := range []string{"accept", "decline", "withdraw"} {
		eve.send("/offers/"+act, "id", offer).shows(404)
	}
	ben.send("/offers/withdraw", "id", offer).shows(200, "Offer withdrawn.", "withdrawn")
	ada.open("/offers").shows(200, "withdrawn").lacks("Accept")
	ada.open("/book?id=" + id).shows(200).lacks("Make an offer")
}
